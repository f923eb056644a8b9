"""과제 4: Vision Transformer

"An Image is Worth 16x16 Words"(Dosovitskiy et al., 2021)는 제목이 곧 내용입니다. 이미지를
정사각형으로 자르고, 그 하나하나를 단어로 보고, 그렇게 만든 문장을 이미 있는 트랜스포머에
넣습니다. 트랜스포머는 그 단어들이 원래 이미지였다는 사실을 모릅니다. 각 패치가 어디에서 왔는지는
더해 주는 위치 벡터가 알려 주고, 나머지는 학습으로 얻습니다.

    image          패치             토큰             인코더           헤드
    (B, C, H, W) → (B, N, P·P·C) →  (B, 1 + N, D) →  (B, 1 + N, D) →  (B, 클래스)
                   자르기           CLS 포함         블록 depth개     토큰 하나

모양을 나타내는 글자: B 배치, C 채널, H와 W 이미지의 높이와 너비, P 패치 한 변, 패치 수 N =
(H / P) · (W / P), D 모델 차원, T 토큰(ViT에서는 1 + N개). 블록 안의 어텐션에는 헤드가 있습니다.
거기서는 과제 3에서처럼 H가 헤드 수, Dh가 헤드 차원입니다.

이 어텐션은 과제 3에서 작성한 `PackedMultiHeadAttention`이고, 아래에서 불러옵니다. 그 코드의
실수는 과제 3에서 감점되고, 여기서 다시 감점되지는 않습니다.

torch에 들어 있는 어텐션과 트랜스포머 층은 사용할 수 없습니다. `F.scaled_dot_product_attention`도
`nn.MultiheadAttention`도, `nn.TransformerEncoderLayer`도 안 됩니다.
"""

from collections.abc import Callable
from typing import Any

import torch
from a3_multi_head import PackedMultiHeadAttention
from torch import nn


def patchify(images: torch.Tensor, patch_size: int) -> torch.Tensor:
    """이미지를 정사각형 패치로 자르고, 각 패치의 픽셀 값을 한 행으로 펼칩니다.

    논문의 3.1절: 원소가 P · P · C개인 패치 x_p N개가 문장의 단어입니다.

    모양(shape)
        images   (B, C, H, W), H와 W는 P의 배수이고 서로 다를 수도 있음
        returns  (B, N, P·P·C), N = (H / P) · (W / P), 자료형(dtype)과 장치는 images와 같음

    모든 것을 책을 읽는 순서대로 셉니다. 패치는 왼쪽에서 오른쪽으로, 그다음 위에서 아래로 갑니다.
    패치 안의 픽셀도 마찬가지이고, 한 픽셀의 채널 C개는 나란히 놓입니다.

        patches[b, n, (r · P + s) · C + c] = images[b, c, P · row + r, P · column + s]
        n = row · (W / P) + column,  0 <= r, s < P,  0 <= c < C

    계산할 것은 없고 옮기기만 하면 되는데, `reshape`만으로는 되지 않습니다. reshape은 메모리에
    나란히 놓인 원소들의 축만 새로 정하는데, 한 패치의 행들은 메모리에 나란히 놓여 있지 않기
    때문입니다. H와 W를 각각 두 축으로 나누고, *축의 순서를 바꾼(permute)* 다음에 합칩니다.
    (einops를 쓰면 한 줄입니다.)

    높이나 너비가 P의 배수가 아니면 그 길이와 P가 메시지에 들어 있는 ValueError를 일으킵니다.
    `images`는 수정하지 않습니다.

    예: 픽셀에 순서대로 번호를 매긴 4 × 6 이미지는 패치 세 개씩 두 줄입니다.

        >>> image = torch.arange(24.0).reshape(1, 1, 4, 6)
        >>> patchify(image, 2)[0]
        tensor([[ 0.,  1.,  6.,  7.],
                [ 2.,  3.,  8.,  9.],
                [ 4.,  5., 10., 11.],
                [12., 13., 18., 19.],
                [14., 15., 20., 21.],
                [16., 17., 22., 23.]])

    채널이 둘이고 두 번째가 첫 번째의 음수라면, 첫 패치는 다음과 같습니다.

        >>> patchify(torch.cat([image, -image], dim=1), 2)[0, 0].tolist()
        [0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 7.0, -7.0]

    작성할 부분: 전체.
    """
    raise NotImplementedError("patchify: replace this line with your solution")


def unpatchify(patches: torch.Tensor, patch_size: int, height: int, width: int) -> torch.Tensor:
    """패치를 다시 이미지로 맞춥니다. `patchify`의 역연산입니다.

    마스크드 오토인코더(He et al., 2021)도 이 연산으로 이미지를 복원합니다. 패치를 눈으로 확인할
    때도 유용합니다.

    모양(shape)
        patches  (B, N, P·P·C), `patchify`가 주는 그대로. C는 마지막 축에서 정해짐
        returns  (B, C, H, W), H = height, W = width, 자료형(dtype)과 장치는 patches와 같음

    패치 수만으로는 이미지의 모양을 알 수 없습니다. 패치 여섯 개는 2 × 3일 수도, 3 × 2일 수도, 1
    × 6일 수도 있습니다. 그래서 높이와 너비를 인자로 받습니다. 다음의 경우에는 ValueError를
    일으킵니다.
        둘 중 하나라도 P의 배수가 아닐 때: 메시지에 그 길이와 P를 넣습니다.
        N이 (H / P) · (W / P)가 아닐 때: 메시지에 N과 원래 되어야 할 수를 넣습니다.
    `patches`는 수정하지 않습니다.

    예:

        >>> image = torch.randn(2, 3, 8, 12)
        >>> torch.equal(unpatchify(patchify(image, 4), 4, height=8, width=12), image)
        True

    작성할 부분: 전체.
    """
    raise NotImplementedError("unpatchify: replace this line with your solution")


class PatchEmbedding(nn.Module):
    """이미지를 패치로 자르고, 모든 패치를 같은 선형 변환으로 토큰으로 바꿉니다.

    논문의 3.1절과 식 1에서 클래스 토큰과 위치를 뺀 것입니다.

        token_n = E · patch_n + b          n = 0, …, N - 1

    패치들은 겹치지 않고, 책의 단어처럼 왼쪽에서 오른쪽으로, 그다음 위에서 아래로 셉니다. E는
    패치의 원소 P · P · C개마다 가중치를 갖고, 모든 패치에 같은 E를 씁니다.

    쓰는 방법은 두 가지이고, 둘 다 맞습니다.
        자르고 곱하기      (B, N, P·P·C)로 모양을 바꾼 다음 nn.Linear(P·P·C, D)
        합성곱 하나        nn.Conv2d(C, D, kernel_size=P, stride=P): 패치 크기의 필터가 패치
                           단위로 건너가므로 같은 선형 변환임

    인자
        in_channels  C
        patch_size   P
        emb_size     D

    채점기가 찾는 이름은 `projection`이고, 합성곱이거나 선형 층입니다.

    이 클래스는 패치만 다룹니다. 다른 코드에서는 이 이름의 클래스가 클래스 토큰과 위치까지
    더하기도 하지만, 여기서는 두 번째 클래스인 `ViTEmbeddings`가 그 역할을 합니다.

    예: 8 × 12 이미지를 4 × 4 패치로 자르면 패치 세 개씩 두 줄이 됩니다.

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
            images   (B, C, H, W), H와 W는 P의 배수이고 서로 다를 수도 있음
            returns  (B, N, D), 자료형(dtype)과 장치는 images와 같음

        높이나 너비가 P의 배수가 아니면 그 길이와 P가 메시지에 들어 있는 ValueError를 일으킵니다.
        (합성곱은 나머지를 아무 경고 없이 잘라 버립니다.) `images`는 수정하지 않습니다.

        합성곱의 결과는 (B, D, H/P, W/P)로, 특성 축이 패치 축보다 *앞에* 있습니다. 이것을
        reshape만으로 (B, N, D)로 바꾸면 모양은 맞지만 값은 틀립니다. 먼저 펼치고, 그다음
        전치합니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("PatchEmbedding.forward: replace this line with your solution")


def conv_weight_from_linear(
    weight: torch.Tensor, in_channels: int, patch_size: int
) -> torch.Tensor:
    """Linear가 펼친 패치에 하는 계산을 이미지에 그대로 하는 합성곱 가중치를 반환합니다.

    `PatchEmbedding`을 쓰는 두 가지 방법은 같은 가중치를 서로 다른 자리에 담고 있습니다. 한쪽의
    체크포인트를 다른 쪽에 불러오려면 자리만 옮기면 됩니다.

    모양(shape)
        weight   (D, P·P·C), (행, 열, 채널) 순서로 펼친 패치를 받는 nn.Linear의 가중치. 먼저 왼쪽
                 위 픽셀의 채널 C개, 다음은 그 오른쪽 픽셀의 채널, …
        returns  (D, C, P, P), 커널 크기와 stride가 P인 nn.Conv2d의 가중치

    이번에도 reshape만으로 (D, C, P, P)를 만들면 모양은 맞지만 값은 틀립니다.

    예: 채널이 둘인 2 × 2 패치와, 원소에 순서대로 번호를 매긴 가중치입니다. 첫 번째 채널에 짝수가
    행 순서대로 들어갑니다.

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
    """이미지를 인코더의 입력 시퀀스로 바꿉니다. 논문의 식 1 전체입니다.

        z_0 = [CLS; E patch_0 + b; …; E patch_{N-1} + b] + positions

    CLS는 어느 패치에도 속하지 않는 학습된 토큰으로, BERT에서 온 아이디어입니다. 맨 앞에 놓이고
    모든 이미지에서 같으며, 인코더를 지나며 모은 정보를 헤드가 읽습니다.

    위치는 CLS를 포함한 *모든* 토큰에 하나씩 있는 학습된 벡터입니다. 위치가 없으면 어텐션은 원래
    이미지와 패치를 뒤섞은 이미지를 구별하지 못합니다. 패치 둘을 맞바꾸면 출력 둘도 맞바뀔
    뿐입니다.

    인자
        in_channels, patch_size, emb_size    패치의 인자: C, P, D
        img_size                             (정사각형) 이미지의 한 변, N = (img_size / P)²
        dropout                              드롭아웃 확률, 맨 끝에 한 번 적용

    채점기가 찾는 이름: `PatchEmbedding`인 `patch_embedding`, (1, 1, D)인 Parameter `cls_token`,
    (N + 1, D) 또는 (1, N + 1, D)이고 행 0이 CLS의 것인 Parameter `positions`, 그리고 `dropout`.
    위치를 nn.Embedding으로 두어도 되고, CLS의 위치를 따로 Parameter로 두어도 됩니다. 채점기가
    알아서 찾고, 찾은 것을 알려 줍니다.

    예: 패치 네 개와 그 앞의 CLS, 아직 학습하지 않은 모델입니다.

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

        CLS와 위치는 반드시 Parameter여야 합니다. 그렇지 않으면 학습되지 않습니다. 초기값은
        자유롭게 정할 수 있고, 보통 작은 값을 씁니다. 생성자에서는 배치 크기를 알 수 없으므로,
        CLS에도 배치를 두지 않습니다.

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

        CLS의 배치 크기는 1입니다. `expand`를 쓰면 복사 없이 B로 늘릴 수 있고, 이때 그래디언트는
        배치에 대한 합이 됩니다. 드롭아웃은 마지막에, 위치를 더한 뒤 모든 토큰에 적용합니다.
        `images`도 파라미터도 수정하지 않습니다. `tokens += …`는 방금 만든 텐서에만 쓸 수
        있습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("ViTEmbeddings.forward: replace this line with your solution")


def sincos_2d(height: int, width: int, dim: int) -> torch.Tensor:
    """학습하지 않는 2차원 사인·코사인 위치 임베딩을 반환합니다.

    "Attention Is All You Need"(3.5절)의 표를 축마다 하나씩 만들어 이어 붙인 것으로, MoCo
    v3(Chen et al., 2021)와 마스크드 오토인코더(He et al., 2021)의 코드와 같습니다. 주파수는 dim
    / 4개이고

        omega_i = 10000^(-2i / (dim / 2)),   0 <= i < dim / 4

    격자의 y행 x열에 있는 패치의 값은 다음과 같습니다.

        sin(y · omega_i), cos(y · omega_i), sin(x · omega_i), cos(x · omega_i)   모든 i에 대해

    좌표는 정수이고 0에서 시작합니다. 느린 파동은 패치의 대략적인 위치를, 빠른 파동은 이웃과의
    차이를 알려 줍니다. 오른쪽으로 한 칸 가는 것은 어디서나 같은 회전입니다.

    모양(shape)
        returns  (height · width, dim), 패치마다 한 행, 책을 읽는 순서대로

    열의 순서는 논문과 라이브러리마다 다르고, 모델에는 아무 차이가 없습니다. 여기서는 y의 사인
    전부, y의 코사인 전부, x의 사인 전부, x의 코사인 전부의 순서입니다. 다른 순서도 맞고,
    정답으로 인정합니다. (주파수도 다를 수 있습니다. "Better plain ViT
    baselines"(Beyer et al., 2022)의 코드에서는 마지막 주파수가 정확히 1 / 10000입니다. 여기서는
    위의 식을 따릅니다.)

    dim이 4의 배수가 아니면 dim이 메시지에 들어 있는 ValueError를 일으킵니다.

    예: 2 × 3 격자, 주파수는 omega_0 = 1 하나입니다.

        >>> sincos_2d(2, 3, 4)
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.0000,  1.0000,  0.8415,  0.5403],
                [ 0.0000,  1.0000,  0.9093, -0.4161],
                [ 0.8415,  0.5403,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.8415,  0.5403],
                [ 0.8415,  0.5403,  0.9093, -0.4161]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("sincos_2d: replace this line with your solution")


def interpolate_positions(
    positions: torch.Tensor,
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    num_prefix: int = 1,
) -> torch.Tensor:
    """학습된 위치 임베딩을 다른 크기의 격자에 맞게 보간합니다.

    논문의 3.2절: 작은 이미지로 학습한 모델에도 더 큰 이미지를 넣을 수 있습니다. 그러면 패치가 더
    많아지고, 그 대부분은 학습된 위치가 없습니다. 하지만 패치들의 위치 자체를 채널이 D개인
    이미지로 볼 수 있고, 이미지는 크기를 바꿀 수 있습니다.

    모양(shape)
        positions  (num_prefix + N, D) 또는 (1, num_prefix + N, D), 원래 격자에서 N = h · w
        old_grid   (h, w), 패치의 행 수와 열 수
        new_grid   (h, w)
        returns    (num_prefix + M, D) 또는 (1, num_prefix + M, D)로 들어온 대로, 새 격자에서 M =
                   h · w. 자료형(dtype)과 장치는 positions와 같음

    처음 `num_prefix`개 행은 CLS처럼 이미지 위의 위치가 없는 토큰의 것입니다. 따로 두었다가
    그대로 다시 붙입니다. 나머지는 격자로 펼치고(패치는 행 순서대로 셉니다), 크기를 바꾸고, 다시
    한 줄로 늘어놓습니다.

    bilinear든 bicubic이든, `align_corners`가 무엇이든 좋습니다. `nn.functional.interpolate`가 다
    해 줍니다. 다만 (B, D, h, w)를 받으므로 들어갈 때도 나올 때도 축의 순서를 바꾸어야 합니다.
    "nearest"는 여러 패치가 같은 위치를 갖게 되므로 쓸 수 없습니다.

    2 × 6과 3 × 4처럼 패치 수가 같아도 서로 다른 격자일 수 있습니다. 수를 비교하지 말고 격자를
    비교하세요. 격자가 같으면 아무것도 달라지지 않습니다. `positions`는 수정하지 않습니다.

    예: 왼쪽에서 오른쪽으로 커지는 특성은 더 넓은 격자에서도 왼쪽에서 오른쪽으로 커집니다.

        >>> positions = torch.tensor([[9.0], [0.0], [1.0], [0.0], [1.0]])  # CLS, then 2 by 2
        >>> wide = interpolate_positions(positions, (2, 2), (2, 3))
        >>> wide.shape, wide[0].item()
        (torch.Size([7, 1]), 9.0)
        >>> left, middle, right = wide[1:4, 0]
        >>> bool(left < middle < right), round(middle.item(), 4)
        (True, 0.5)

    작성할 부분: 전체.
    """
    raise NotImplementedError("interpolate_positions: replace this line with your solution")


class ResidualAdd(nn.Module):
    """함수나 모듈을 감싸서, 그 출력이 입력을 대신하지 않고 입력에 더해지게 합니다.

        y = x + fn(x)

    "Deep Residual Learning"(He et al., 2015)에서 나온 구조입니다. fn의 출력이 거의 0이면 y는 x와
    거의 같습니다. 따라서 블록은 입력을 거의 바꾸지 않는 상태에서 학습을 시작할 수 있고,
    그래디언트는 모든 블록을 건너뛰어 흐를 수 있습니다.

    인자
        fn  함수 또는 Module. Module이면 그 파라미터가 이 모듈의 파라미터에 포함됨

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
        """`fn`을 저장합니다. Module을 속성으로 두면 자동으로 등록됩니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("ResidualAdd.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        """x + fn(x, **kwargs)를 반환합니다. 모양은 `x`와 같은 (…, D)입니다.

        키워드 인자(예: 마스크)는 `fn`으로 전달하고, 호출은 한 번만 합니다.

        `+=`는 더 짧아 보이지만 x에 쓰든 fn의 결과에 쓰든 잘못입니다. `x`는 호출한 쪽의
        텐서입니다. 그리고 `fn`이 반환한 것은 `fn`의 텐서입니다. x 자신일 수도 있고, tanh에서처럼
        그래디언트를 계산할 때 필요한 것일 수도 있습니다. 그러면 역전파가 오류로 멈춥니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("ResidualAdd.forward: replace this line with your solution")


class FeedForward(nn.Module):
    """블록의 나머지 절반: 토큰마다 따로 두 선형 변환을 지납니다.

        y = fc2(GELU(fc1(x)))

    차원을 늘리고, 비선형 함수를 적용한 뒤, 다시 줄입니다. fc1로 차원을 `expansion`배로 늘리고,
    GELU를 적용하고, fc2로 원래 차원으로 되돌립니다. 트랜스포머 가중치의 3분의 2가 여기에
    있습니다. 어텐션은 토큰들 사이에서 정보를 옮기고, MLP는 토큰마다 따로 그 정보를 처리합니다.

    fc2 뒤에는 드롭아웃 말고는 아무것도 없습니다. 거기에 GELU를 두면 잔차 스트림의 값을 *낮추는*
    것이 거의 불가능해집니다. GELU의 출력은 -0.17보다 작지 않습니다.

    인자
        emb_size    D
        expansion   중간에서 차원을 몇 배로 늘리는지, 정수
        dropout     드롭아웃 확률, GELU 뒤에 한 번, fc2 뒤에 한 번 더 적용

    채점기가 찾는 이름: `fc1`과 `fc2`. 편향이 있는 선형 층입니다.

    예:

        >>> mlp = FeedForward(emb_size=10, expansion=4)
        >>> mlp.fc1
        Linear(in_features=10, out_features=40, bias=True)
        >>> mlp(torch.zeros(2, 5, 10)).shape
        torch.Size([2, 5, 10])
    """

    def __init__(self, emb_size: int, expansion: int = 4, dropout: float = 0.0) -> None:
        """두 선형 층과 드롭아웃을 만듭니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("FeedForward.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D)를 받아 (…, D)를 반환합니다. 자료형(dtype)과 장치는 `x`와 같습니다.

        GELU는 x · Φ(x)이고, 여기서는 정규 분포의 Φ를 erf로 정확히 계산합니다. PyTorch의
        기본값입니다. tanh 근사는 소수점 아래 넷째 자리에서 달라집니다. `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("FeedForward.forward: replace this line with your solution")


class EncoderBlock(nn.Module):
    """어텐션 다음에 MLP가 옵니다. 둘 다 정규화한 입력을 읽고, 그 결과를 원래 입력에 *더합니다*.

    논문의 식 2와 식 3입니다.

        z = z + attention(norm1(z))
        z = z + mlp(norm2(z))

    먼저 토큰들끼리 정보를 주고받고(어텐션), 그다음 토큰마다 따로 계산합니다(MLP). z를 위에서
    아래로 따라가 보세요. z 자체를 바꾸는 연산은 없고, 더하기만 합니다. 게이트 없이 이어지는 이
    경로, 즉 잔차 스트림 덕분에 이런 블록을 열두 개, 심지어 백 개를 쌓아도 학습할 수 있습니다.
    정규화 층을 각 분기 안에 두어야 이 경로가 막히지 않습니다(pre-norm). 두 번째 줄은 첫 번째
    분기의 결과를 이미 더한 새로운 z를 읽습니다.

    인자
        emb_size   D
        num_heads  H. D의 약수여야 함
        expansion  MLP의 은닉 차원은 expansion · D
        dropout    어텐션 가중치와 MLP 안에 적용. 각 분기의 출력에 드롭아웃을 추가해도 됨

    채점기가 찾는 이름: `norm1`, `attention`, `norm2`, `mlp`. 예를 들면 `attention.qkv`입니다.
    어텐션은 과제 3에서 만든 여러분의 것이고 위에서 불러왔습니다. 아직 없거나 다른 것을 쓰고
    싶다면 이 파일에 클래스를 쓰세요. (x, mask)를 받아 (B, T, D)를 반환하면 됩니다. LayerNorm의
    eps는 torch의 기본값도, 공개된 Vision Transformer의 1e-6도 괜찮습니다.

    예: 블록은 입력에 더하기만 합니다. 두 분기의 마지막 선형 층이 0이면 입력이 그대로 나옵니다.

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
        """LayerNorm 두 개, 어텐션, MLP를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError("EncoderBlock.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """층 하나를 지난 토큰들을 반환합니다.

        모양(shape)
            x        (B, T, D)
            mask     bool, True = 참조해도 됨, 과제 3에서처럼 (T, T), (B, T, T) 또는 네 축.
                     그대로 어텐션에 넘김, None이면 전부 허용
            returns  (B, T, D), 자료형(dtype)과 장치는 x와 같음

        이미지에는 가릴 것이 없지만, 패딩된 문장이나 아직 생성 중인 텍스트에는 있습니다.
        (nn.Sequential은 인자 하나로만 호출할 수 있어서 마스크를 넘길 수 없습니다.) `x`는
        수정하지 않습니다. `x += …`를 쓰면 수정하게 됩니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("EncoderBlock.forward: replace this line with your solution")


class PostNormEncoderBlock(nn.Module):
    """같은 구성 요소를 2017년 논문의 순서로 놓습니다. 더한 *뒤에* 정규화합니다.

    "Attention Is All You Need", 3.1절:

        z = norm1(z + attention(z))
        z = norm2(z + mlp(z))

    이 블록에는 막힘없는 경로가 없습니다. 모든 블록에서 잔차 스트림 자체가 LayerNorm을 두 번
    지납니다. 학습 초기에 출력 가까이의 그래디언트가 너무 커서, 학습률을 조심스럽게 워밍업하지
    않으면 학습에 실패합니다(Xiong et al., "On Layer Normalization in the Transformer
    Architecture", 2020). BERT는 이 블록을, ViT는 앞의 블록을 쓰고, 둘의 파라미터는 이름도 모양도
    같습니다. 그래서 한쪽의 체크포인트를 다른 쪽에 불러와도 오류가 나지 않고, 엉뚱한 결과가
    나옵니다.

    인자와 이름은 `EncoderBlock`과 같습니다.

    예: 입력이 무엇이든 출력의 평균은 0입니다. 마지막 LayerNorm이 그렇게 만듭니다.

        >>> block = PostNormEncoderBlock(emb_size=12, num_heads=3)
        >>> output = block(100.0 * torch.randn(2, 5, 12) + 7.0)
        >>> torch.allclose(output.mean(dim=-1), torch.zeros(2, 5), atol=1e-5)
        True
    """

    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        """LayerNorm 두 개, 어텐션, MLP를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError(
            "PostNormEncoderBlock.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """층 하나를 지난 토큰들을 반환합니다. 모양은 `EncoderBlock.forward`와 같습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "PostNormEncoderBlock.forward: replace this line with your solution"
        )


class Encoder(nn.Module):
    """블록 `depth`개를 차례로 적용하고, 마지막에 모든 토큰에 LayerNorm을 적용합니다.

        z_ℓ = block_ℓ(z_{ℓ-1})          ℓ = 1, …, depth
        y   = norm(z_depth)

    논문의 식 4는 클래스 토큰의 y만 필요로 합니다. 여기서는 헤드가 어느 토큰이든 읽을 수 있도록
    모든 토큰을 정규화합니다. 이 마지막 LayerNorm이 없으면 인코더의 출력은 모든 블록이 더한 값의
    합이 되어, 모델이 깊을수록 커집니다.

    인자
        depth                  블록의 수, 블록마다 가중치가 따로 있음
        emb_size, num_heads,   `EncoderBlock`과 같음
        expansion, dropout
        final_norm             마지막에 LayerNorm을 둘지 여부

    채점기가 찾는 이름: EncoderBlock의 nn.ModuleList인 `blocks`, 그리고 `norm`. 일반 리스트에
    담은 블록들은 `parameters()`에 나타나지 않고, `[block] * depth`는 같은 블록 하나를 여러 번
    쓰는 것입니다.

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
        """블록들과 LayerNorm을 만듭니다. final_norm=False이면 마지막 LayerNorm의 파라미터가 없어야
        합니다.

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
    """이미지를 벡터 하나로 요약하고, 선형 변환 하나로 클래스마다 점수를 계산합니다.

    벡터 하나를 만드는 방법은 두 가지입니다. pool="cls"는 클래스 토큰을 씁니다. 어느 패치에도
    속하지 않으면서, 모든 층을 지나며 중요한 정보를 모은 토큰입니다. pool="mean"은 클래스 토큰을
    빼고 패치 토큰 N개의 평균을 씁니다. (둘 다 잘 됩니다. 논문의 부록 D.3에 따르면, 처음에는 두
    번째 방법이 더 나빠 보였지만 거기에 맞는 학습률을 쓰자 차이가 없어졌습니다.)

    LayerNorm은 인코더에 있으니 여기에는 두지 않고, 소프트맥스도 손실 함수에 들어 있으니 두지
    않습니다. (어떤 노트북들은 *모든* 토큰의 평균을 내고 그 평균을 정규화합니다. 그것은 다른
    모델입니다. 평균을 정규화한 것은 정규화한 것들의 평균과 다릅니다.)

    인자
        emb_size     D
        num_classes  점수의 개수
        pool         "cls" 또는 "mean". 다른 값이 오면 어떻게 할지는 자유이고, ValueError가 가장
                     좋음

    채점기가 찾는 이름은 `linear`입니다.

    예: 토큰 0은 클래스 토큰이고, "mean"은 이 토큰을 쓰지 않습니다.

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
        """로짓을 반환합니다.

        모양(shape)
            x        (B, 1 + N, D), 클래스 토큰이 맨 앞
            returns  (B, num_classes), 자료형(dtype)과 장치는 x와 같음

        작성할 부분: 전체. `x`는 수정하지 않습니다.
        """
        raise NotImplementedError(
            "ClassificationHead.forward: replace this line with your solution"
        )


class ViT(nn.Module):
    """이미지를 받아 클래스별 로짓을 출력하는 Vision Transformer입니다.

        logits = head(encoder(embeddings(images)))

    인자
        in_channels, patch_size, emb_size    패치의 인자: C, P, D
        img_size                             (정사각형) 이미지의 한 변
        depth, num_heads                     인코더의 인자, MLP의 은닉 차원은 4·D
        num_classes, pool                    헤드의 인자

    채점기가 찾는 이름: `embeddings`, `encoder`, `head`, 그리고 그 안에서는 앞에 나온 클래스들의
    이름, 예를 들면 `encoder.blocks.0.attention.qkv`입니다. 파라미터의 이름과 모양만 그대로라면
    앞의 클래스들을 새로 써도 됩니다. 드롭아웃은 없습니다.

    학습도 되어야 합니다. 채점기는 아주 작은 모델을 이미지 여덟 장으로 Adam 열두 단계만큼
    학습시키고, 그때 손실이 무작위로 답할 때보다 훨씬 낮아야 합니다. torch 층의 기본 초기값이면
    충분합니다.

    기본값은 ViT-B/16입니다. 클래스가 1,000개일 때 파라미터는 86,567,656개입니다.

        embeddings   projection             16·16·3·768 + 768        590,592
                     cls_token                                           768
                     positions              197·768                  151,296
        블록마다     norm1, norm2           2 · (768 + 768)            3,072
        (모두 12개)  attention.qkv          768·2304 + 2304        1,771,776
                     attention.projection   768·768 + 768            590,592
                     mlp.fc1                768·3072 + 3072        2,362,368
                     mlp.fc2                3072·768 + 768         2,360,064
        encoder      norm                   768 + 768                  1,536
        head         linear                 768·1000 + 1000          769,000

    각 블록의 파라미터 가운데 3분의 2가 MLP에 있습니다. 위치 정보를 모두 담고 있는 위치 임베딩은
    모델 전체의 1,000분의 2도 되지 않습니다.

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
        """로짓을 반환합니다. 소프트맥스는 손실 함수에 들어 있으므로 적용하지 않습니다.

        모양(shape)
            images   (B, C, img_size, img_size)
            returns  (B, num_classes), 자료형(dtype)과 장치는 images와 같음

        작성할 부분: 전체.
        """
        raise NotImplementedError("ViT.forward: replace this line with your solution")


def count_parameters(module: nn.Module) -> int:
    """모듈의 파라미터에 들어 있는 수의 개수를 반환합니다.

    고정된(requires_grad=False) 파라미터까지, 얼마나 깊은 층에 있든 모두 셉니다. 두 곳에서 쓰이는
    파라미터도 한 번만 셉니다. 버퍼는 파라미터가 아닙니다.

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
    """모든 층의 어텐션을 이어서 추적합니다. 각 입력 토큰은 각 출력 토큰에 얼마나 영향을 줄까요?

    마지막 층의 맵만으로는 알 수 있는 것이 적습니다. 그 층이 참조하는 토큰에는 이미 앞선 층들에서
    다른 토큰의 정보가 섞여 있기 때문입니다. "Quantifying Attention Flow in Transformers"(Abnar와
    Zuidema, 2020)는 각 층의 맵을 곱합니다. 배관망에서 물이 흐르는 길을 따라가는 것과 같습니다.

        rollout = A_last ··· A_2 A_1

    모양(shape)
        weights  층마다 텐서 (B, H, T, T) 하나씩, 첫 번째 층이 맨 앞. 헤드는 H개, 토큰은 T = 1 +
                 N개. 행은 쿼리이고 토큰 0은 CLS
        returns  (B, T, T), 자료형(dtype)과 장치는 weights와 같음. i번째 행은 출력 i가 무엇으로
                 이루어졌는지 나타냄

    각 A는 한 층의 가중치에서 네 단계로 만듭니다. 3단계와 4단계는 이 논문의 것입니다. 1단계의
    max와 min, 그리고 2단계 전체는 Jacob Gildenblat이 추가했습니다(vit-explain의 vit_rollout.py).
    이 파일은 자주 복사되지만 여기서 요구하는 것과 다릅니다. 2단계에서 원소 하나만 남겨 두고,
    4단계에서는 열을 나눕니다.

        1. heads     헤드를 하나로 합칩니다. 헤드 축에 대해 "mean", "max" 또는 "min"을 구하면
                     (B, T, T)가 됩니다. head_fusion이 그 밖의 값이면 ValueError를 일으킵니다.
        2. discard   작은 가중치는 잡음입니다. 샘플마다 T · T개 원소 전체에서 가장 작은
                     floor(discard_ratio · T · T)개를 찾아 0으로 둡니다. 다만 그 가운데 CLS의
                     열(0번 열)에 있는 것은 남겨 둡니다.
        3. residual  블록의 출력 가운데 절반은 어텐션을 거치지 않은 것입니다: A ← (A + I) / 2.
        4. rows      각 행을 그 합으로 나누어 합이 1이 되게 합니다.

    곱하는 순서에 주의하세요. 첫 번째 층이 가장 먼저 적용되므로 맨 오른쪽에 옵니다. 리스트도 그
    안의 텐서도 수정하지 않습니다.

    예: 토큰 둘, 헤드 하나. 첫 번째 층에서는 둘 다 토큰 1을 보고, 두 번째 층에서는 각자 자기
    자신을 봅니다.

        >>> first = torch.tensor([[[[0.0, 1.0], [0.0, 1.0]]]])
        >>> second = torch.eye(2).reshape(1, 1, 2, 2)
        >>> attention_rollout([first, second])
        tensor([[[0.5000, 0.5000],
                 [0.0000, 1.0000]]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("attention_rollout: replace this line with your solution")


def rollout_to_patches(rollout: torch.Tensor, grid: tuple[int, int]) -> torch.Tensor:
    """CLS가 각 패치에서 모은 정도를, 이미지 위에 겹쳐 볼 수 있는 그림으로 반환합니다.

    모양(shape)
        rollout  (B, 1 + N, 1 + N), `attention_rollout`의 결과
        grid     (h, w), 패치의 행 수와 열 수, N = h · w
        returns  (B, h, w), 자료형(dtype)과 장치는 rollout과 같음

    헤드는 CLS의 출력을 읽습니다. 그 출력이 무엇으로 이루어졌는지는 CLS의 *행*이 알려 줍니다.
    CLS가 자기 자신에게서 가져온 비율은 패치가 아니므로 뺍니다. 패치는 행 순서대로 셉니다.
    `rollout`은 수정하지 않습니다.

    이 그림을 너무 믿지는 마세요. 정보가 어디로 흐를 수 있었는지를 보여 줄 뿐, 모델이 그 정보로
    무엇을 했는지는 보여 주지 않습니다.

    예: 1 × 2 격자입니다.

        >>> rollout = torch.tensor([[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1], [0.0, 0.6, 0.4]]])
        >>> rollout_to_patches(rollout, (1, 2))
        tensor([[[0.2000, 0.3000]]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("rollout_to_patches: replace this line with your solution")


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 채점하지 않습니다.
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
    with torch.no_grad():  # 모든 특성이 패치의 원소들의 합이 되게 합니다
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
    print((wide.shape, wide[0].item()))
    # (torch.Size([7, 1]), 9.0)
    left, middle, right = wide[1:4, 0]
    print((bool(left < middle < right), round(middle.item(), 4)))
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
