"""Encrypt, sign and check with the library `cryptography`, which is imported only when needed.

AES-SIV (RFC 5297) encrypts: it takes no nonce, so that the same course sealed with the same key is
the same file, and no random number can make it weak. Ed25519 signs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..text.language import _
from .key import CIPHER_BYTES, AuthorKey, GradingKey
from .refusal import SealedError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

SIGNATURE_BYTES = 64
TAG_BYTES = 16
"""What encryption adds to the length of a piece."""


def new_key() -> AuthorKey:
    """Return a new pair of keys. Raises SealedError if the library is missing."""
    _require_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    signing = Ed25519PrivateKey.generate()
    public = signing.public_key().public_bytes_raw()
    cipher = AESSIV.generate_key(CIPHER_BYTES * 8)
    return AuthorKey(signing.private_bytes_raw(), GradingKey(cipher, public))


def encrypt(key: GradingKey, data: bytes, bound_to: Sequence[bytes]) -> bytes:
    """Return `data` encrypted; it is decrypted together with the same `bound_to` only."""
    return _aes_siv(key).encrypt(data, list(bound_to))


def decrypt(key: GradingKey, data: bytes, bound_to: Sequence[bytes]) -> bytes | None:
    """Return what was encrypted; None if it is not what this key has encrypted."""
    cipher = _aes_siv(key)
    from cryptography.exceptions import InvalidTag

    try:
        return cipher.decrypt(data, list(bound_to))
    except (InvalidTag, ValueError):
        return None


def sign(key: AuthorKey, data: bytes) -> bytes:
    """Return the author's signature under `data`."""
    _require_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key.signing).sign(data)


def is_signed(key: GradingKey, data: bytes, signature: bytes) -> bool:
    """Tell whether the author has signed `data`."""
    _require_library()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, data)
    except InvalidSignature:
        return False
    return True


def _aes_siv(key: GradingKey) -> AESSIV:
    _require_library()
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    return AESSIV(key.cipher)


def _require_library() -> None:
    """Raise SealedError, with the command to type, if the library is not installed."""
    try:
        import cryptography  # noqa: F401
    except ModuleNotFoundError:
        raise SealedError(
            _(
                "a sealed course needs the package cryptography. Next: {command}",
                command=f"{sys.executable} -m pip install 'cryptography>=44,<51'",
            )
        ) from None
