"""과제 4: Vision Transformer

"An Image is Worth 16x16 Words"(Dosovitskiy et al., 2021)는 제목에서 이미 말하고 있습니다. 그림을
정사각형으로 자르고, 정사각형 하나를 단어 하나라고 부르고, 그 문장을 이미 가지고 있는
Transformer에 넘기는 것입니다. 그 안의 어떤 것도 그 단어들이 한때 그림이었다는 사실을 모릅니다.
어디에서 왔는지는 거기에 더해지는 위치 벡터가 알려 주고, 나머지는 학습됩니다.

    image            패치                토큰                    인코더           헤드
    (B, C, H, W)  →  (B, N, P·P·C)  →  (B, 1 + N, D)  ────────→  (B, 1 + N, D) →  (B, 클래스)
                     cut                 투영, CLS, 위치          블록 depth개     한 토큰 Linear

모양을 나타내는 글자: B 배치, C 채널, H와 W 이미지의 높이와 너비, P 패치 한 변, 패치 수 N =
(H / P) · (W / P), D 모델 폭, T 토큰(ViT에서는 1 + N개). 블록 안의 어텐션은 헤드를 안에 감추고
있습니다. 거기서는 과제 3에서처럼 H가 헤드 수, Dh가 헤드 폭입니다.

그 어텐션은 과제 3에서 쓴 `PackedMultiHeadAttention`이고, 아래에서 불러옵니다. 그 안의 실수는
그쪽에서 감점되고, 여기서 또 감점되지는 않습니다.
"""

from collections.abc import Callable
from typing import Any

import torch
from a3_multi_head import PackedMultiHeadAttention
from torch import nn


def patchify(images: torch.Tensor, patch_size: int) -> torch.Tensor:
    """이미지를 정사각형 패치로 자르고, 패치마다 그 수들을 한 행으로 늘어놓습니다.

    논문의 3.1절: 수 P · P · C개로 된 패치 x_p N개가 문장의 단어입니다.

    모양(shape)
        images   (B, C, H, W), H와 W는 P의 배수이고 늘 같지는 않음
        returns  (B, N, P·P·C), N = (H / P) · (W / P), 자료형(dtype)과 장치는 images와 같음

    모든 것은 책을 읽는 순서대로 셉니다. 패치는 왼쪽에서 오른쪽으로, 그다음 위에서 아래로 갑니다.
    패치 안의 픽셀도 마찬가지이고, 한 픽셀의 수 C개는 함께 붙어 있습니다.

        patches[b, n, (r · P + s) · C + c] = images[b, c, P · row + r, P · column + s]
        n = row · (W / P) + column,  0 <= r, s < P,  0 <= c < C

    계산할 것은 없고 옮기기만 하면 되는데, `reshape`만으로는 되지 않습니다. 메모리에 나란히 놓인
    수들에 새 이름을 줄 뿐인데, 패치의 행들은 나란히 놓여 있지 않기 때문입니다. H와 W를 각각 두
    축으로 나누고, *축의 순서를 바꾼(permute)* 다음에야 합칩니다. (아니면 einops에 한 줄로 말하면
    됩니다.)

    높이나 너비가 P의 배수가 아니면 그 길이와 P가 메시지에 들어 있는 ValueError를 일으킵니다.
    `images`는 수정하지 않습니다.

    예: 픽셀에 차례로 번호를 매긴 4 × 6 이미지는 패치 세 개씩 두 줄입니다.

        >>> image = torch.arange(24.0).reshape(1, 1, 4, 6)
        >>> patchify(image, 2)[0]
        tensor([[ 0.,  1.,  6.,  7.],
                [ 2.,  3.,  8.,  9.],
                [ 4.,  5., 10., 11.],
                [12., 13., 18., 19.],
                [14., 15., 20., 21.],
                [16., 17., 22., 23.]])

    채널이 둘이고 둘째가 첫째의 음수라면, 첫 패치는 다음과 같습니다.

        >>> patchify(torch.cat([image, -image], dim=1), 2)[0, 0].tolist()
        [0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 7.0, -7.0]
    """
    raise NotImplementedError("patchify: replace this line with your solution")


def unpatchify(patches: torch.Tensor, patch_size: int, height: int, width: int) -> torch.Tensor:
    """패치를 다시 이미지로 맞춥니다. `patchify`가 한 일을 거꾸로 합니다.

    마스크드 오토인코더(He et al., 2021)는 이것으로 그림을 그립니다. 패치가 어떤 것인지 *보고*
    싶어지는 순간 여러분도 반가울 것입니다.

    모양(shape)
        patches  (B, N, P·P·C), `patchify`가 주는 그대로. C는 마지막 축에서 정해짐
        returns  (B, C, H, W), H = height, W = width, 자료형(dtype)과 장치는 patches와 같음

    패치 수만으로는 그림의 모양을 알 수 없습니다. 패치 여섯 개는 2 × 3일 수도, 3 × 2일 수도, 1 ×
    6일 수도 있습니다. 그래서 높이와 너비를 인자로 받습니다. 다음의 경우에는 ValueError를
    일으킵니다.
        둘 중 하나라도 P의 배수가 아닐 때: 메시지에 그 길이와 P를 넣습니다.
        N이 (H / P) · (W / P)가 아닐 때: 메시지에 N과 원래 되어야 할 수를 넣습니다.
    `patches`는 수정하지 않습니다.

    예:

        >>> image = torch.randn(2, 3, 8, 12)
        >>> torch.equal(unpatchify(patchify(image, 4), 4, height=8, width=12), image)
        True
    """
    raise NotImplementedError("unpatchify: replace this line with your solution")


class PatchEmbedding(nn.Module):
    """이미지를 패치로 자르고, 모든 패치를 같은 선형 변환으로 토큰으로 만듭니다.

    논문의 3.1절과 식 1에서 클래스 토큰과 위치를 뺀 것입니다.

        token_n = E · patch_n + b          n = 0, …, N - 1

    패치들은 겹치지 않고, 책의 단어처럼 왼쪽에서 오른쪽으로, 그다음 위에서 아래로 셉니다. E는
    패치의 수 P · P · C개 하나하나에 가중치를 가지고 있고, 똑같은 E가 모든 패치에 쓰입니다.

    쓰는 방법은 두 가지이고, 둘 다 맞습니다.
        자르고 곱하기      (B, N, P·P·C)로 모양을 바꾼 다음 nn.Linear(P·P·C, D)
        convolve           nn.Conv2d(C, D, kernel_size=P, stride=P): 패치만 한 필터가 패치에서
                           패치로 건너가는 것이 *바로* 그 선형 변환임

    인자
        in_channels  C
        patch_size   P
        emb_size     D

    채점기가 찾는 이름은 `projection`이고, 합성곱이거나 선형 계층입니다.

    여기까지는 패치뿐입니다. 같은 이름의 클래스가 클래스 토큰과 위치까지 더한다면 두 사람 몫의
    일을 하는 셈입니다. 여기서는 그 둘이 `ViTEmbeddings`에 있습니다.

    예: 8 × 12 이미지를 4 × 4 패치로 자르면 패치 세 개씩 두 줄입니다.

        >>> embed = PatchEmbedding(in_channels=3, patch_size=4, emb_size=10)
        >>> embed(torch.zeros(2, 3, 8, 12)).shape
        torch.Size([2, 6, 10])
        >>> with torch.no_grad():  # let every feature be the sum of a patch's numbers
        ...     _ = embed.projection.weight.fill_(1.0), embed.projection.bias.zero_()
        >>> image = torch.zeros(1, 3, 8, 12)
        >>> image[0, :, 0:4, 4:8] = 1.0  # the patch in the middle of the first row
        >>> embed(image)[0, :, 0].tolist()
        [0.0, 48.0, 0.0, 0.0, 0.0, 0.0]
    """

    def __init__(self, in_channels: int = 3, patch_size: int = 16, emb_size: int = 768) -> None:
        """편향이 있는 선형 변환을 만듭니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("PatchEmbedding.__init__: replace this line with your solution")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """패치마다 토큰 하나를 행 순서대로 반환합니다.

        모양(shape)
            images   (B, C, H, W), H와 W는 P의 배수이고 늘 같지는 않음
            returns  (B, N, D), 자료형(dtype)과 장치는 images와 같음

        높이나 너비가 P의 배수가 아니면 그 길이와 P가 메시지에 들어 있는 ValueError를 일으킵니다.
        (합성곱이라면 나머지를 말없이 잘라 버릴 것입니다.) `images`는 수정하지 않습니다.

        합성곱의 결과는 (B, D, H/P, W/P)로, 특성이 패치보다 *앞에* 있습니다. 이것을 (B, N, D)로
        모양만 바꾸면 모양은 맞고 수는 틀립니다. 먼저 펼치고, 그다음 전치합니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("PatchEmbedding.forward: replace this line with your solution")


def conv_weight_from_linear(
    weight: torch.Tensor, in_channels: int, patch_size: int
) -> torch.Tensor:
    """Linear가 펼친 패치에 하는 일을 이미지에 하는 합성곱 가중치를 반환합니다.

    `PatchEmbedding`을 쓰는 두 가지 방법은 같은 수를 서로 다른 자리에 담고 있습니다. 한쪽의
    체크포인트를 다른 쪽에 불러오려면 자리만 옮기면 됩니다. 그것이 전부입니다.

    모양(shape)
        weight   (D, P·P·C), 수들이 (행, 열, 채널) 순서로 펼쳐진 패치를 위한 nn.Linear의 가중치.
                 먼저 왼쪽 위 픽셀의 채널 C개, 다음은 그 오른쪽 픽셀의 채널, …
        returns  (D, C, P, P), 커널 크기와 stride가 P인 nn.Conv2d의 가중치

    이번에도 곧바로 (D, C, P, P)로 모양을 바꾸면 모양은 맞고 수는 틀립니다.

    예: 채널이 둘인 2 × 2 패치, 그리고 차례로 번호를 매긴 가중치. 첫째 채널은 짝수를 행 순서대로
    받습니다.

        >>> conv_weight_from_linear(torch.arange(8.0).reshape(1, 8), in_channels=2, patch_size=2)
        tensor([[[[0., 2.],
                  [4., 6.]],
        <BLANKLINE>
                 [[1., 3.],
                  [5., 7.]]]])

    작성할 부분: 전체. `weight`는 수정하지 않습니다.
    """
    raise NotImplementedError("conv_weight_from_linear: replace this line with your solution")


class ViTEmbeddings(nn.Module):
    """이미지에서 인코더가 읽는 시퀀스까지, 논문의 식 1 전부입니다.

        z_0 = [CLS; E patch_0 + b; …; E patch_{N-1} + b] + positions

    CLS는 어느 패치에도 속하지 않는 학습된 토큰으로, BERT에서 온 생각입니다. 맨 앞에 놓이고, 모든
    이미지에서 같으며, 인코더를 나올 때까지 모은 것을 헤드가 읽습니다.

    위치는 CLS를 포함한 *모든* 토큰에 하나씩 있는 학습된 벡터입니다. 위치가 없으면 어텐션은
    그림과 흩어진 퍼즐 조각을 구별하지 못합니다. 패치 둘을 맞바꾸면 출력 둘이 맞바뀔 뿐입니다.

    인자
        in_channels, patch_size, emb_size    패치의 것: C, P, D
        img_size                             (정사각형) 이미지의 한 변, N = (img_size / P)²
        dropout                              지우는 비율, 맨 끝에서 한 번

    채점기가 찾는 이름: `PatchEmbedding`인 `patch_embedding`, (1, 1, D)인 Parameter `cls_token`,
    (N + 1, D) 또는 (1, N + 1, D)이고 행 0이 CLS의 것인 Parameter `positions`, 그리고 `dropout`.
    위치를 nn.Embedding으로 두어도 되고, CLS의 위치를 따로 Parameter로 두어도 됩니다. 채점기가
    찾아내고, 찾았다고 알려 줍니다.

    예: 패치 네 개, 그 앞의 CLS, 그리고 이제 막 만든 모델입니다.

        >>> embed = ViTEmbeddings(patch_size=4, emb_size=10, img_size=8)
        >>> embed(torch.zeros(2, 3, 8, 8)).shape
        torch.Size([2, 5, 10])
        >>> image = torch.randn(1, 3, 8, 8)
        >>> bool((embed(image)[0, 0] == embed(-image)[0, 0]).all())
        True

    CLS는 아직 어떤 이미지도 보지 않았습니다.
    """

    def __init__(
        self,
        in_channels: int = 3,
        patch_size: int = 16,
        emb_size: int = 768,
        img_size: int = 224,
        dropout: float = 0.0,
    ) -> None:
        """패치 임베딩, CLS, 위치, 드롭아웃을 만듭니다.

        CLS와 위치는 반드시 Parameter여야 합니다. 그렇지 않으면 아무도 학습시키지 않습니다.
        처음에 무엇을 담을지는 여러분의 자유이며, 보통은 작은 수를 씁니다. 여기서는 배치를 알 수
        없고, CLS에는 배치가 없습니다.

        img_size가 P의 배수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를 일으킵니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("ViTEmbeddings.__init__: replace this line with your solution")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """CLS와 패치마다의 토큰을, 각각 위치를 더해 반환합니다.

        모양(shape)
            images   (B, C, img_size, img_size), 다른 크기의 이미지는 거부해도 됨
            returns  (B, 1 + N, D), 자료형(dtype)과 장치는 images와 같음

        CLS의 배치는 1입니다. `expand`를 쓰면 복사 없이 B가 되고, 그때 그래디언트는 배치에 대한
        합입니다. 드롭아웃은 맨 마지막, 위치를 더한 뒤에 모든 토큰에 적용합니다. `images`도
        파라미터도 수정하지 않습니다. `tokens += …`는 방금 만든 텐서에만 안전하고, 다른 텐서에는
        안전하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("ViTEmbeddings.forward: replace this line with your solution")


def sincos_2d(height: int, width: int, dim: int) -> torch.Tensor:
    """배울 필요가 없는 위치, 곧 행을 따라가는 파동과 열을 따라가는 파동을 반환합니다.

    "Attention Is All You Need"(3.5절)의 표를 축마다 하나씩 만들어 나란히 놓은 것으로, "Better
    plain ViT baselines for ImageNet-1k"(Beyer et al., 2022)와 같습니다. 주파수는 dim / 4개이고

        omega_i = 10000^(-2i / (dim / 2)),   0 <= i < dim / 4

    격자의 y행 x열에 있는 패치의 수는 다음과 같습니다.

        sin(y · omega_i), cos(y · omega_i), sin(x · omega_i), cos(x · omega_i)   모든 i에 대해

    좌표는 정수이고 0에서 시작합니다. 느린 파동은 패치가 대략 어디에 있는지를, 빠른 파동은
    이웃과의 차이를 알려 줍니다. 오른쪽으로 한 걸음은 어디서나 같은 회전입니다.

    모양(shape)
        returns  (height · width, dim), 패치마다 한 행, 책을 읽는 순서대로

    열의 순서는 논문과 라이브러리마다 다르고, 신경망에는 모두 똑같습니다. 여기서는 y의 사인 전부,
    y의 코사인 전부, x의 사인 전부, x의 코사인 전부의 순서입니다. 다른 순서도 똑같이 옳습니다.
    여러분의 순서가 어떤 것인지는 docstring에 적어 두세요.

    dim이 4의 배수가 아니면 dim이 메시지에 들어 있는 ValueError를 일으킵니다.

    예: 2 × 3 격자, 주파수는 omega_0 = 1 하나입니다.

        >>> sincos_2d(2, 3, 4)
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.0000,  1.0000,  0.8415,  0.5403],
                [ 0.0000,  1.0000,  0.9093, -0.4161],
                [ 0.8415,  0.5403,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.8415,  0.5403],
                [ 0.8415,  0.5403,  0.9093, -0.4161]])
    """
    raise NotImplementedError("sincos_2d: replace this line with your solution")


def interpolate_positions(
    positions: torch.Tensor,
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    num_prefix: int = 1,
) -> torch.Tensor:
    """학습된 위치를 다른 크기의 격자 위로 늘립니다.

    논문의 3.2절: 작은 그림으로 학습한 모델도 더 큰 그림을 볼 수 있습니다. 그러면 패치가 더
    많아지고, 그 대부분은 위치를 배운 적이 없습니다. 하지만 패치들의 위치 자체가 채널이 D개인
    그림이고, 그림은 크기를 바꿀 수 있습니다.

    모양(shape)
        positions  (num_prefix + N, D) 또는 (1, num_prefix + N, D), 원래 격자에서 N = h · w
        old_grid   (h, w), 패치의 행 수와 열 수
        new_grid   (h, w)
        returns    (num_prefix + M, D) 또는 (1, num_prefix + M, D)로 들어온 대로, 새 격자에서 M =
                   h · w. 자료형(dtype)과 장치는 positions와 같음

    처음 `num_prefix`개 행은 CLS처럼 그림의 어디에도 있지 않은 토큰의 것입니다. 따로 두었다가
    그대로 돌려놓습니다. 나머지는 격자로 펼치고(패치는 행 순서대로 셉니다), 크기를 바꾸고, 다시
    한 줄로 늘어놓습니다.

    bilinear든 bicubic이든, `align_corners`가 무엇이든 좋습니다. `nn.functional.interpolate`가 다
    해 줍니다. 다만 (B, D, h, w)를 받으므로 들어갈 때도 나올 때도 축의 순서를 바꾸어야 합니다.
    "nearest"는 안 됩니다. 여러 패치가 같은 위치를 받게 됩니다.

    2 × 6과 3 × 4처럼 패치 수가 같아도 서로 다른 격자일 수 있습니다. 수를 비교하지 말고 격자를
    비교하세요. 격자가 같으면 아무것도 달라지지 않습니다. `positions`는 수정하지 않습니다.

    예: 왼쪽에서 오른쪽으로 커지는 특성 하나는 더 넓은 격자에서도 그렇습니다.

        >>> positions = torch.tensor([[9.0], [0.0], [1.0], [0.0], [1.0]])  # CLS, then 2 by 2
        >>> wide = interpolate_positions(positions, (2, 2), (2, 3))
        >>> wide.shape, wide[0].item()
        (torch.Size([7, 1]), 9.0)
        >>> left, middle, right = wide[1:4, 0]
        >>> bool(left < middle < right), round(middle.item(), 4)
        (True, 0.5)
    """
    raise NotImplementedError("interpolate_positions: replace this line with your solution")


class ResidualAdd(nn.Module):
    """무엇이든 감싸서, 입력을 바꿔치기하는 대신 입력에 더하게 합니다.

        y = x + fn(x)

    "Deep Residual Learning"(He et al., 2015)입니다. fn이 거의 0이면 y는 거의 x입니다. 그래서
    블록은 해를 끼치지 않는 상태에서 시작할 수 있고, 그래디언트에게는 모든 블록을 비켜 가는 길이
    있습니다.

    인자
        fn  함수 또는 Module. Module이면 그 파라미터는 이 모듈의 것이 됨

    예:

        >>> double = ResidualAdd(lambda x: x)
        >>> double(torch.tensor([1.0, 2.0]))
        tensor([2., 4.])
        >>> shift = ResidualAdd(lambda x, by=0.0: x * 0 + by)
        >>> shift(torch.tensor([1.0, 2.0]), by=0.5)
        tensor([1.5000, 2.5000])
        >>> len(list(ResidualAdd(nn.Linear(3, 3)).parameters()))
        2
    """

    def __init__(self, fn: Callable[..., torch.Tensor]) -> None:
        """`fn`을 간직합니다. 속성이 된 Module은 저절로 등록됩니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("ResidualAdd.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        """x + fn(x, **kwargs)를 반환합니다. 모양은 `x`와 같은 (…, D)입니다.

        이름을 붙여 넘긴 다른 인자, 예를 들어 마스크는 `fn`으로 전달되고, 호출은 한 번만 합니다.

        `+=`가 더 짧아 보이지만 양쪽 어느 쪽에서도 틀립니다. `x`는 호출한 쪽의 것입니다. 그리고
        `fn`이 반환한 것은 `fn`의 것입니다. 그것이 x 자신일 수도 있고, 자기 그래디언트에 필요한
        것일 수도 있습니다. tanh가 그런 경우인데, 그러면 역전파가 오류로 멈춥니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("ResidualAdd.forward: replace this line with your solution")


class FeedForward(nn.Module):
    """블록의 나머지 절반: 토큰 하나하나가 따로 두 선형 변환을 지납니다.

        y = fc2(GELU(fc1(x)))

    넓혔다가, 구부리고, 다시 좁힙니다. fc1로 폭의 `expansion`배, GELU, 그리고 fc2로 원래 폭.
    Transformer 가중치의 3분의 2가 여기에 있습니다. 어텐션은 토큰들이 아는 것을 서로 옮겨 주고,
    토큰 하나가 그것을 곱씹는 곳은 여기입니다.

    fc2 뒤에는 드롭아웃 말고는 아무것도 없습니다. 거기에 GELU를 두면 잔차 스트림의 수를 *낮추는*
    일이 거의 불가능해집니다. GELU는 -0.17보다 작은 값을 내지 않습니다.

    인자
        emb_size    D
        expansion   중간에서 몇 배로 넓어지는지, 정수
        dropout     지우는 비율, GELU 뒤에서 한 번, fc2 뒤에서 또 한 번

    채점기가 찾는 이름: `fc1`과 `fc2`. 편향이 있는 선형 계층입니다.

    예:

        >>> mlp = FeedForward(emb_size=10, expansion=4)
        >>> mlp.fc1
        Linear(in_features=10, out_features=40, bias=True)
        >>> mlp(torch.zeros(2, 5, 10)).shape
        torch.Size([2, 5, 10])
    """

    def __init__(self, emb_size: int, expansion: int = 4, dropout: float = 0.0) -> None:
        """두 선형 계층과 드롭아웃을 만듭니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("FeedForward.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D)를 받아 (…, D)를 반환합니다. 자료형(dtype)과 장치는 `x`와 같습니다.

        GELU는 정규 분포의 Φ를 그대로 쓴(erf로 계산하는) x · Φ(x)이고, PyTorch의 기본값입니다.
        tanh 근사는 넷째 자리에서 달라집니다. `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("FeedForward.forward: replace this line with your solution")


class EncoderBlock(nn.Module):
    """어텐션, 그다음 MLP. 둘 다 정규화한 사본을 읽고, 찾은 것을 *더합니다*.

    논문의 식 2와 식 3입니다.

        z = z + attention(norm1(z))
        z = z + mlp(norm2(z))

    먼저 토큰들이 서로 이야기하고, 그다음 저마다 혼자 생각합니다. z를 위에서 아래로 따라가
    보세요. z 자체*에* 무언가를 하는 일은 없고, 더해지기만 합니다. 문 없는 이 길, 곧 잔차 스트림
    덕분에 이런 블록 열두 개, 심지어 백 개를 쌓고도 학습할 수 있습니다. 그리고 이 길은 정규화가
    가지 안에 있는 동안에만 막히지 않습니다(pre-norm). 둘째 줄이 읽는 것은 첫째 가지가 찾은 것이
    더해진 새 z입니다.

    인자
        emb_size   D
        num_heads  H. D의 약수여야 함
        expansion  MLP 안쪽의 폭은 expansion · D
        dropout    어텐션 가중치와 MLP 안의 것. 가지에 더 두는 것은 여러분의 자유

    채점기가 찾는 이름: `norm1`, `attention`, `norm2`, `mlp`. 예를 들면 `attention.qkv`입니다.
    어텐션은 과제 3에서 만든 여러분의 것이고 위에서 불러왔습니다. 아직 없거나 다른 것을 쓰고
    싶다면 이 파일에 클래스를 쓰세요. (x, mask)를 받아 (B, T, D)를 반환하면 됩니다.

    예: 블록은 무엇을 하든 더하기만 합니다. 두 마지막 계층이 0이면 아무것도 하지 않습니다.

        >>> block = EncoderBlock(emb_size=12, num_heads=3)
        >>> tokens = torch.randn(2, 5, 12)
        >>> block(tokens).shape
        torch.Size([2, 5, 12])
        >>> with torch.no_grad():
        ...     for last in (block.attention.projection, block.mlp.fc2):
        ...         _ = last.weight.zero_(), last.bias.zero_()
        >>> torch.equal(block(tokens), tokens)
        True
    """

    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        """정규화 둘, 어텐션, MLP를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError("EncoderBlock.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """계층 하나를 지난 토큰들을 반환합니다.

        모양(shape)
            x        (B, T, D)
            mask     bool, True = 주목해도 됨, 과제 3에서처럼 (T, T), (B, T, T) 또는 네 축.
                     들어온 그대로 어텐션에 넘김, None이면 전부 허용
            returns  (B, T, D), 자료형(dtype)과 장치는 x와 같음

        이미지에는 가릴 것이 없지만, 패딩된 문장에는 있고 아직 쓰고 있는 글에도 있습니다.
        (nn.Sequential은 인자 하나로만 호출할 수 있습니다. nn.Sequential인 블록은 그것만 빼고 다
        할 수 있습니다.) `x`는 수정하지 않습니다. `x += …`라면 수정하게 됩니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("EncoderBlock.forward: replace this line with your solution")


class PostNormEncoderBlock(nn.Module):
    """같은 부품을 2017년의 순서로: 더한 *뒤에* 정규화합니다.

    "Attention Is All You Need", 3.1절:

        z = norm1(z + attention(z))
        z = norm2(z + mlp(z))

    여기에는 막힘없는 길이 없습니다. 모든 블록이 스트림 자체를 정규화 두 번에 통과시킵니다.
    처음에는 출력 가까이의 그래디언트가 너무 커서, 학습률을 조심스럽게 워밍업하지 않으면 학습에
    실패합니다(Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020).
    BERT는 이 블록으로, ViT는 앞의 블록으로 되어 있고, 둘의 파라미터는 이름도 모양도 같습니다.
    한쪽의 체크포인트가 다른 쪽에 들어맞고, 헛소리가 나옵니다.

    인자와 이름은 `EncoderBlock`과 같습니다.

    예: 무엇이 들어오든 나가는 것의 평균은 0입니다. 마지막 정규화가 그렇게 남기기 때문입니다.

        >>> block = PostNormEncoderBlock(emb_size=12, num_heads=3)
        >>> output = block(100.0 * torch.randn(2, 5, 12) + 7.0)
        >>> torch.allclose(output.mean(dim=-1), torch.zeros(2, 5), atol=1e-5)
        True
    """

    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        """정규화 둘, 어텐션, MLP를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError(
            "PostNormEncoderBlock.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """계층 하나를 지난 토큰들을 반환합니다. 모양은 `EncoderBlock.forward`와 같습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "PostNormEncoderBlock.forward: replace this line with your solution"
        )


class Encoder(nn.Module):
    """차례로 이어진 블록 `depth`개, 그리고 나오는 모든 토큰에 적용하는 LayerNorm입니다.

        z_ℓ = block_ℓ(z_{ℓ-1})          ℓ = 1, …, depth
        y   = norm(z_depth)

    논문의 식 4는 클래스 토큰의 y만 필요로 합니다. 여기서는 헤드가 원하는 것을 골라 읽을 수 있게
    모든 토큰을 정규화합니다. 이 마지막 정규화가 없으면 인코더를 나오는 것은 블록들이 더한 모든
    것의 합이 되고, 모델이 깊을수록 커집니다.

    인자
        depth                  블록의 수, 저마다 자기 가중치를 가짐
        emb_size, num_heads,   `EncoderBlock`과 같음
        expansion, dropout
        final_norm             끝에 정규화가 있는지 여부

    채점기가 찾는 이름: EncoderBlock의 nn.ModuleList인 `blocks`, 그리고 `norm`. 평범한 리스트는
    블록들을 `parameters()`에서 감추고, `[block] * depth`는 블록 하나에 이름을 여럿 붙인
    것입니다.

    예: 블록이 둘이면 파라미터도 블록 하나일 때의 두 배입니다.

        >>> one, two = (Encoder(n, emb_size=12, num_heads=3, final_norm=False) for n in (1, 2))
        >>> sum(p.numel() for p in two.parameters()) / sum(p.numel() for p in one.parameters())
        2.0
    """

    def __init__(
        self,
        depth: int,
        emb_size: int,
        num_heads: int,
        expansion: int = 4,
        dropout: float = 0.0,
        final_norm: bool = True,
    ) -> None:
        """블록들과 정규화를 만듭니다. final_norm=False이면 정규화에 학습할 것이 없습니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("Encoder.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """모든 블록을 지난 토큰들을 반환합니다.

        모양(shape)
            x        (B, T, D)
            mask     `EncoderBlock.forward`와 같음, 모든 블록에 똑같이
            returns  (B, T, D), 자료형(dtype)과 장치는 x와 같음

        작성할 부분: 전체. `x`는 수정하지 않습니다.
        """
        raise NotImplementedError("Encoder.forward: replace this line with your solution")


class ClassificationHead(nn.Module):
    """그림을 벡터 하나로 요약하고, 선형 변환 하나로 클래스마다 점수를 매깁니다.

    벡터 하나를 만드는 방법은 두 가지입니다. pool="cls"는 클래스 토큰을 씁니다. 어느 패치에도
    속하지 않으면서, 중요한 것을 모을 기회는 충분히 있었던 토큰입니다. pool="mean"은 클래스
    토큰을 빼고 패치 토큰 N개의 평균을 씁니다. (둘 다 잘 됩니다. 논문의 부록 D.3에 따르면,
    처음에는 둘째 방법이 더 나빠 보였지만 거기에 맞는 학습률을 쓰자 차이가 없어졌습니다.)

    정규화는 인코더에 있으니 여기에는 없고, 손실이 직접 하니 소프트맥스도 없습니다. (어떤
    노트북들은 *모든* 토큰의 평균을 내고 그 평균을 정규화합니다. 그것은 다른 모델입니다. 평균을
    정규화한 것은 정규화한 것들의 평균이 아닙니다.)

    인자
        emb_size     D
        num_classes  점수의 개수
        pool         "cls" 또는 "mean"

    채점기가 찾는 이름은 `linear`입니다.

    예: 토큰 0이 클래스 토큰이고, "mean"은 그것을 보지 않습니다.

        >>> tokens = torch.tensor([[[9.0, 9.0], [1.0, 0.0], [3.0, 0.0]]])  # CLS and two patches
        >>> for pool in ("cls", "mean"):
        ...     head = ClassificationHead(2, num_classes=2, pool=pool)
        ...     with torch.no_grad():
        ...         _ = head.linear.weight.copy_(torch.eye(2)), head.linear.bias.zero_()
        ...     print(pool, head(tokens).tolist())
        cls [[9.0, 9.0]]
        mean [[2.0, 0.0]]
    """

    def __init__(self, emb_size: int, num_classes: int, pool: str = "cls") -> None:
        """편향이 있는 선형 변환을 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError(
            "ClassificationHead.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """가공하지 않은 로짓을 반환합니다.

        모양(shape)
            x        (B, 1 + N, D), 클래스 토큰이 맨 앞
            returns  (B, num_classes), 자료형(dtype)과 장치는 x와 같음

        작성할 부분: 전체. `x`는 수정하지 않습니다.
        """
        raise NotImplementedError(
            "ClassificationHead.forward: replace this line with your solution"
        )


class ViT(nn.Module):
    """Vision Transformer: 이미지에서 클래스마다의 가공하지 않은 점수까지입니다.

        logits = head(encoder(embeddings(images)))

    인자
        in_channels, patch_size, emb_size    패치의 것: C, P, D
        img_size                             (정사각형) 이미지의 한 변
        depth, num_heads                     인코더의 것, 그 MLP의 폭은 4·D
        num_classes, pool                    헤드의 것

    채점기가 찾는 이름: `embeddings`, `encoder`, `head`, 그리고 그 안에서는 앞에 나온 클래스들의
    이름, 예를 들면 `encoder.blocks.0.attention.qkv`입니다. 파라미터의 이름과 모양만 그대로라면
    앞의 클래스들을 새로 써도 됩니다. 드롭아웃은 없습니다.

    기본값은 ViT-B/16입니다. 클래스가 1,000개일 때 파라미터는 86,567,656개입니다.

        embeddings   projection             16·16·3·768 + 768        590,592
                     cls_token                                           768
                     positions              197·768                  151,296
        12개 각각    norm1, norm2           2 · (768 + 768)            3,072
        blocks       attention.qkv          768·2304 + 2304        1,771,776
                     attention.projection   768·768 + 768            590,592
                     mlp.fc1                768·3072 + 3072        2,362,368
                     mlp.fc2                3072·768 + 768         2,360,064
        encoder      norm                   768 + 768                  1,536
        head         linear                 768·1000 + 1000          769,000

    모든 블록의 3분의 2가 MLP입니다. 기하학적 정보를 모두 나르는 위치는 모델의 1,000분의 2도 되지
    않습니다.

    예: 8 × 8 이미지를 패치 네 개로 다루는 아주 작은 모델입니다.

        >>> vit = ViT(patch_size=4, emb_size=24, img_size=8, depth=2, num_heads=3, num_classes=5)
        >>> vit(torch.randn(2, 3, 8, 8)).shape
        torch.Size([2, 5])
        >>> sum(parameter.numel() for parameter in vit.embeddings.parameters())
        1320
    """

    def __init__(
        self,
        in_channels: int = 3,
        patch_size: int = 16,
        emb_size: int = 768,
        img_size: int = 224,
        depth: int = 12,
        num_heads: int = 12,
        num_classes: int = 1000,
        pool: str = "cls",
    ) -> None:
        """`embeddings`, `encoder`, `head`를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError("ViT.__init__: replace this line with your solution")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """가공하지 않은 로짓을 반환합니다. 소프트맥스는 손실이 직접 하니 넣지 않습니다.

        모양(shape)
            images   (B, C, img_size, img_size)
            returns  (B, num_classes), 자료형(dtype)과 장치는 images와 같음

        작성할 부분: 전체.
        """
        raise NotImplementedError("ViT.forward: replace this line with your solution")


def count_parameters(module: nn.Module) -> int:
    """모듈에서 학습으로 바뀔 수 있는 수가 몇 개인지 반환합니다.

    지금 학습 중이든 아니든, 얼마나 깊은 계층에 있든 모든 파라미터를 셉니다. 두 곳에서 쓰이는
    파라미터도 하나입니다. 버퍼는 파라미터가 아닙니다.

    예: 가중치 3 × 4개와 편향 4개입니다.

        >>> layer = nn.Linear(3, 4)
        >>> count_parameters(layer)
        16
        >>> count_parameters(nn.Sequential(layer, nn.ReLU(), nn.BatchNorm1d(4)))
        24

    작성할 부분: 전체. 메타 장치의 모듈은 모양만 있고 메모리는 차지하지 않으므로 ViT-B/16도 바로
    셀 수 있습니다: `with torch.device("meta"): print(count_parameters(ViT()))`
    """
    raise NotImplementedError("count_parameters: replace this line with your solution")


def attention_rollout(
    weights: list[torch.Tensor], head_fusion: str = "mean", discard_ratio: float = 0.0
) -> torch.Tensor:
    """모든 계층을 거쳐 어텐션을 따라갑니다. 각 입력 토큰은 각 출력 토큰에 얼마나 도달할까요?

    마지막 계층의 맵만으로는 알 수 있는 것이 적습니다. 그 계층이 주목하는 것은 이미 계층마다 다른
    토큰들에게서 모아 온 토큰들이기 때문입니다. "Quantifying Attention Flow in
    Transformers"(Abnar와 Zuidema, 2020)는 맵들을 곱합니다. 파이프의 연결망을 지나는 물을
    따라가는 것과 같습니다.

        rollout = A_last ··· A_2 A_1

    모양(shape)
        weights  계층마다 텐서 (B, H, T, T) 하나, 첫째 계층이 맨 앞, 헤드 H개와 토큰 T = 1 + N개.
                 행은 쿼리이고 토큰 0은 CLS
        returns  (B, T, T), 자료형(dtype)과 장치는 weights와 같음. i번째 행은 출력 i가 무엇으로
                 이루어졌는지 나타냄

    각각의 A는 한 계층의 가중치로부터 네 단계를 거쳐 만듭니다.

        1. heads     헤드를 합칩니다. 헤드에 대한 "mean", "max" 또는 "min"으로 (B, T, T)가
                     됩니다. head_fusion이 그 밖의 값이면 ValueError를 일으킵니다.
        2. discard   작은 가중치는 잡음입니다. 샘플마다 T · T개 항 전체에서 가장 작은
                     floor(discard_ratio · T · T)개를 찾아 0으로 둡니다. 다만 그 가운데 CLS의
                     열(0번 열)에 있는 것은 남겨 둡니다.
        3. residual  블록을 나오는 것의 절반은 어텐션을 비켜 지나온 것입니다: A ← (A + I) / 2.
        4. rows      각 행을 그 합으로 나누어 합이 1이 되게 합니다.

    곱하는 순서에 주의하세요. 첫째 계층이 가장 먼저 적용되므로 맨 오른쪽에 옵니다. 리스트도 그
    안의 텐서도 수정하지 않습니다.

    예: 토큰 둘, 헤드 하나. 첫째 계층에서는 둘 다 토큰 1을 보고, 둘째 계층에서는 저마다 자기
    자신을 봅니다.

        >>> first = torch.tensor([[[[0.0, 1.0], [0.0, 1.0]]]])
        >>> second = torch.eye(2).reshape(1, 1, 2, 2)
        >>> attention_rollout([first, second])
        tensor([[[0.5000, 0.5000],
                 [0.0000, 1.0000]]])
    """
    raise NotImplementedError("attention_rollout: replace this line with your solution")


def rollout_to_patches(rollout: torch.Tensor, grid: tuple[int, int]) -> torch.Tensor:
    """CLS가 각 패치에서 모은 것을, 이미지 위에 겹쳐 볼 수 있는 그림으로 반환합니다.

    모양(shape)
        rollout  (B, 1 + N, 1 + N), `attention_rollout`의 결과
        grid     (h, w), 패치의 행 수와 열 수, N = h · w
        returns  (B, h, w), 자료형(dtype)과 장치는 rollout과 같음

    헤드가 읽는 출력은 CLS의 출력입니다. CLS의 *행*이 그것이 무엇으로 이루어졌는지 알려 줍니다.
    CLS가 자기 자신에게서 간직한 것은 패치가 아닙니다. 패치는 행 순서대로 셉니다. `rollout`은
    수정하지 않습니다.

    이 그림에서 너무 많은 것을 읽어 내지는 마세요. 정보가 어디로 흐를 수 있었는지를 알려 줄 뿐,
    모델이 그것으로 무엇을 했는지는 알려 주지 않습니다.

    예: 1 × 2 격자입니다.

        >>> rollout = torch.tensor([[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1], [0.0, 0.6, 0.4]]])
        >>> rollout_to_patches(rollout, (1, 2))
        tensor([[[0.2000, 0.3000]]])
    """
    raise NotImplementedError("rollout_to_patches: replace this line with your solution")


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 절대 채점하지 않습니다.
if __name__ == "__main__":
    # patchify
    image = torch.arange(24.0).reshape(1, 1, 4, 6)
    print(patchify(image, 2)[0])
    # tensor([[ 0.,  1.,  6.,  7.],
    #         [ 2.,  3.,  8.,  9.],
    #         [ 4.,  5., 10., 11.],
    #         [12., 13., 18., 19.],
    #         [14., 15., 20., 21.],
    #         [16., 17., 22., 23.]])
    print(patchify(torch.cat([image, -image], dim=1), 2)[0, 0].tolist())
    # [0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 7.0, -7.0]

    # unpatchify
    image = torch.randn(2, 3, 8, 12)
    print(torch.equal(unpatchify(patchify(image, 4), 4, height=8, width=12), image))
    # True

    # PatchEmbedding
    embed = PatchEmbedding(in_channels=3, patch_size=4, emb_size=10)
    print(embed(torch.zeros(2, 3, 8, 12)).shape)
    # torch.Size([2, 6, 10])
    with torch.no_grad():  # 모든 특성이 패치의 수들의 합이 되게 합니다
        _ = embed.projection.weight.fill_(1.0), embed.projection.bias.zero_()
    image = torch.zeros(1, 3, 8, 12)
    image[0, :, 0:4, 4:8] = 1.0  # 첫 행 가운데에 있는 패치
    print(embed(image)[0, :, 0].tolist())
    # [0.0, 48.0, 0.0, 0.0, 0.0, 0.0]

    # conv_weight_from_linear
    print(conv_weight_from_linear(torch.arange(8.0).reshape(1, 8), in_channels=2, patch_size=2))
    # tensor([[[[0., 2.],
    #           [4., 6.]],
    #
    #          [[1., 3.],
    #           [5., 7.]]]])

    # ViTEmbeddings
    embed = ViTEmbeddings(patch_size=4, emb_size=10, img_size=8)
    print(embed(torch.zeros(2, 3, 8, 8)).shape)
    # torch.Size([2, 5, 10])
    image = torch.randn(1, 3, 8, 8)
    print(bool((embed(image)[0, 0] == embed(-image)[0, 0]).all()))
    # True

    # sincos_2d
    print(sincos_2d(2, 3, 4))
    # tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
    #         [ 0.0000,  1.0000,  0.8415,  0.5403],
    #         [ 0.0000,  1.0000,  0.9093, -0.4161],
    #         [ 0.8415,  0.5403,  0.0000,  1.0000],
    #         [ 0.8415,  0.5403,  0.8415,  0.5403],
    #         [ 0.8415,  0.5403,  0.9093, -0.4161]])

    # interpolate_positions
    positions = torch.tensor([[9.0], [0.0], [1.0], [0.0], [1.0]])  # CLS, then 2 by 2
    wide = interpolate_positions(positions, (2, 2), (2, 3))
    print(wide.shape, wide[0].item())
    # (torch.Size([7, 1]), 9.0)
    left, middle, right = wide[1:4, 0]
    print(bool(left < middle < right), round(middle.item(), 4))
    # (True, 0.5)

    # ResidualAdd
    double = ResidualAdd(lambda x: x)
    print(double(torch.tensor([1.0, 2.0])))
    # tensor([2., 4.])
    shift = ResidualAdd(lambda x, by=0.0: x * 0 + by)
    print(shift(torch.tensor([1.0, 2.0]), by=0.5))
    # tensor([1.5000, 2.5000])
    print(len(list(ResidualAdd(nn.Linear(3, 3)).parameters())))
    # 2

    # FeedForward
    mlp = FeedForward(emb_size=10, expansion=4)
    print(mlp.fc1)
    # Linear(in_features=10, out_features=40, bias=True)
    print(mlp(torch.zeros(2, 5, 10)).shape)
    # torch.Size([2, 5, 10])

    # EncoderBlock
    block = EncoderBlock(emb_size=12, num_heads=3)
    tokens = torch.randn(2, 5, 12)
    print(block(tokens).shape)
    # torch.Size([2, 5, 12])
    with torch.no_grad():
        for last in (block.attention.projection, block.mlp.fc2):
            _ = last.weight.zero_(), last.bias.zero_()
    print(torch.equal(block(tokens), tokens))
    # True

    # PostNormEncoderBlock
    block = PostNormEncoderBlock(emb_size=12, num_heads=3)
    output = block(100.0 * torch.randn(2, 5, 12) + 7.0)
    print(torch.allclose(output.mean(dim=-1), torch.zeros(2, 5), atol=1e-5))
    # True

    # Encoder
    one, two = (Encoder(n, emb_size=12, num_heads=3, final_norm=False) for n in (1, 2))
    print(sum(p.numel() for p in two.parameters()) / sum(p.numel() for p in one.parameters()))
    # 2.0

    # ClassificationHead
    tokens = torch.tensor([[[9.0, 9.0], [1.0, 0.0], [3.0, 0.0]]])  # CLS와 패치 둘
    for pool in ("cls", "mean"):
        head = ClassificationHead(2, num_classes=2, pool=pool)
        with torch.no_grad():
            _ = head.linear.weight.copy_(torch.eye(2)), head.linear.bias.zero_()
        print(pool, head(tokens).tolist())
    # cls [[9.0, 9.0]]
    # mean [[2.0, 0.0]]

    # ViT
    vit = ViT(patch_size=4, emb_size=24, img_size=8, depth=2, num_heads=3, num_classes=5)
    print(vit(torch.randn(2, 3, 8, 8)).shape)
    # torch.Size([2, 5])
    print(sum(parameter.numel() for parameter in vit.embeddings.parameters()))
    # 1320

    # count_parameters
    layer = nn.Linear(3, 4)
    print(count_parameters(layer))
    # 16
    print(count_parameters(nn.Sequential(layer, nn.ReLU(), nn.BatchNorm1d(4))))
    # 24

    # attention_rollout
    first = torch.tensor([[[[0.0, 1.0], [0.0, 1.0]]]])
    second = torch.eye(2).reshape(1, 1, 2, 2)
    print(attention_rollout([first, second]))
    # tensor([[[0.5000, 0.5000],
    #          [0.0000, 1.0000]]])

    # rollout_to_patches
    rollout = torch.tensor([[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1], [0.0, 0.6, 0.4]]])
    print(rollout_to_patches(rollout, (1, 2)))
    # tensor([[[0.2000, 0.3000]]])
