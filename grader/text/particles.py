"""Choose the form of Korean particles by how the word before them is read.

A translation writes both forms, `{x}이(가)`, since what stands there is known only when the
sentence is filled in. Imports nothing of ours: workers load it too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

PARTICLES = {
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "을(를)": ("을", "를"),
    "과(와)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)라": ("이라", "라"),
    "이에요": ("이에요", "예요"),
    "이어야": ("이어야", "여야"),
}
"""Both forms as a translation writes them: behind a consonant, behind a vowel."""
_PARTICLE = re.compile(
    rf"(\{{(?P<place>\w+)[^{{}}]*\}})(?P<between>[^\s{{}}]*?)"
    rf"(?P<particle>{'|'.join(map(re.escape, PARTICLES))})"
)
_RIEUL = 8
_FINAL_OF_DIGITS = (21, 8, 0, 16, 0, 0, 1, 8, 8, 0)
"""The consonant at the end of 영, 일, 이, 삼, 사, 오, 육, 칠, 팔, 구, as Unicode counts them."""
_NIEUN, _MIEUM, _IEUNG, _SOME = 4, 16, 21, 1
_FINAL_OF_SOUNDS = {"l": _RIEUL, "m": _MIEUM, "n": _NIEUN, "ng": _IEUNG}
_FINAL_OF_LETTERS = {"l": _RIEUL, "r": _RIEUL, "m": _MIEUM, "n": _NIEUN}
"""The letters whose Korean names, 엘, 알, 엠 and 엔, end in a consonant."""
_STOPPED = re.compile(r"(?:[^aeiou]|^)[aeiou](?:ck|[ckpt])$|(?:out|put|ook|type)$")
"""A short vowel before one of these is closed by it: 맵, 셋. Elsewhere 으 follows: 마스크."""


def with_particles(text: str, values: Mapping[str, object]) -> str:
    """Choose the form of each Korean particle by the value that is filled in before it.

    What stands between the two, such as a closing quote or the ending of a file, is read as well.

    >>> with_particles("{what}이(가)", {"what": "출력"}), with_particles("{n}(으)로", {"n": 2})
    ('{what}이', '{n}로')
    >>> with_particles("`{name}`을(를)", {"name": "split_heads"})
    '`{name}`를'
    """
    return _PARTICLE.sub(lambda match: _chosen(match, values), text)


def _chosen(match: re.Match[str], values: Mapping[str, object]) -> str:
    before = f"{values.get(match['place'], '')}{match['between']}"
    return f"{match[1]}{match['between']}{_agreed(match['particle'], before)}"


def _agreed(particle: str, before: str) -> str:
    behind_consonant, behind_vowel = PARTICLES[particle]
    final = _final(before)
    is_vowel = final == 0 or (particle == "(으)로" and final == _RIEUL)
    return behind_vowel if is_vowel else behind_consonant


def _final(text: str) -> int:
    """Return the consonant that a text ends in when it is read aloud, as Unicode counts them.

    0 is a vowel, also where nothing can be read. English is read as Korean borrows it.
    """
    words = re.findall(r"[가-힣]+|[A-Za-z]+|[0-9]+", unicodedata.normalize("NFC", text))
    last = words[-1] if words else ""
    if last[-1:].isdigit():
        return _FINAL_OF_DIGITS[int(last[-1])]
    if "가" <= last[-1:] <= "힣":
        return (ord(last[-1]) - ord("가")) % 28
    return _final_of_english(last)


def _final_of_english(word: str) -> int:
    """Return the consonant at the end of an English word or of an abbreviation.

    >>> [_final_of_english(word) for word in ("NameError", "mask", "dim", "MHA", "L", "file")]
    [0, 0, 16, 0, 8, 8]
    """
    if word.isupper() or len(word) == 1:
        return _FINAL_OF_LETTERS.get(word[-1].lower(), 0)
    sound = word.lower()
    if re.search(r"[lmn]e$", sound):  # an e that nobody hears: file, name, line
        sound = sound[:-1]
    if _STOPPED.search(sound):
        return _SOME
    return _FINAL_OF_SOUNDS.get(sound[-2:], _FINAL_OF_SOUNDS.get(sound[-1:], 0))
