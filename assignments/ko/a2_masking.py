"""과제 2: 마스킹

다음 토큰을 예측하도록 학습하는 모델은 뒤에 나올 토큰을 미리 보면 안 됩니다. 어텐션 가중치 행렬의
i번째 행은 토큰 i가 어디를 보는지를 나타내므로, 이 조건은 하나의 삼각형이 됩니다. 대각선과 그
왼쪽은 모두 허용하고, 오른쪽은 모두 금지합니다.

              key 0   1   2   3
    query 0       ✓   ·   ·   ·        ✓  참조해도 됨
    query 1       ✓   ✓   ·   ·        ·  가려짐: 뒤에 오는 토큰
    query 2       ✓   ✓   ✓   ·
    query 3       ✓   ✓   ✓   ✓

이렇게 하면 얻는 것이 많습니다. 어느 위치도 정답을 미리 볼 수 없으므로, 한 번의 순전파로 T개의
예측을 동시에 학습할 수 있습니다.

먼저 그 삼각형을 만들고, 그것을 어느 단계에서 적용해야 하는지 알아본 다음, 실제 모델에 꼭 필요한
두 가지, 즉 길이가 다른 시퀀스의 패딩 처리와 드롭아웃을 추가합니다. 마지막에는 이 모두를 모듈
하나로 합칩니다.

과제 1에서 작성한 코드를 여기서 호출해도 됩니다.

    from a1_attention import scaled_dot_product_attention

그 코드의 실수는 그 과제에서 감점되고, 여기서 다시 감점되지는 않습니다.

torch에 들어 있는 어텐션은 사용할 수 없습니다. `F.scaled_dot_product_attention`도
`nn.MultiheadAttention`도 안 됩니다.

모양을 나타내는 글자(모든 과제에서 같습니다):

    B            배치
    S            쿼리 토큰
    L            키 토큰(S와 L은 다를 수 있음)
    T            토큰(쿼리와 키가 같은 토큰일 때)
    d_in, d_out  토큰의 차원(입력과 출력이 같음)
    …            임의의 앞쪽 축: 없음, (B,), (B, H), …
"""

import torch
from torch import nn


def causal_mask(T: int, offset: int = 0, device: torch.device | str | None = None) -> torch.Tensor:
    """쿼리 T개가 각각 볼 수 있는 키를 나타내는 코잘 마스크를 반환합니다.

    j가 i보다 뒤가 아니면 쿼리 i는 키 j를 참조할 수 있습니다.

        mask_ij = (j <= i + offset)

    offset은 텍스트를 생성할 때를 위한 것입니다. 그때는 앞선 `offset`개 토큰의 키와 값이 이미
    저장되어 있고, 끝의 T개만 새 토큰입니다. 쿼리는 T개, 키는 T + offset개입니다. 첫 번째 새
    토큰은 이전 토큰 전부와 자기 자신을 볼 수 있습니다.

    모양(shape)
        returns  (T, T + offset) bool, True = 참조해도 됨, 장치는 `device`(None이면 torch의
                 기본값)

    예: 과제 첫머리의 삼각형과, 다섯 토큰 가운데 마지막 두 개입니다.

        >>> causal_mask(4)
        tensor([[ True, False, False, False],
                [ True,  True, False, False],
                [ True,  True,  True, False],
                [ True,  True,  True,  True]])
        >>> causal_mask(2, offset=3)
        tensor([[ True,  True,  True,  True, False],
                [ True,  True,  True,  True,  True]])

    작성할 부분: 전체. `torch.ones`와 그 `tril`로도 되고, `torch.arange`를 자기 자신과 비교해도
    됩니다. T는 적어도 1이고 offset은 음수가 아닙니다. torch의 "meta" 장치로도 시험합니다. 모양만
    있고 값은 없는 장치입니다.
    """
    raise NotImplementedError("causal_mask: replace this line with your solution")


def mask_then_renormalise(weights: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """이미 합이 1인 가중치에서 키를 가리고, 나머지의 합이 다시 1이 되게 합니다.

    첫 번째 방법: 이미 계산한 어텐션 가중치에서 보면 안 되는 위치를 0으로 만듭니다. 그러면 행에
    남은 가중치의 합이 1보다 작아지므로, 각 행을 남은 합으로 나눕니다.

        w'_ij = w_ij m_ij / Σ_k w_ik m_ik

    모양(shape)
        weights  (…, S, L), 각 행의 합은 1
        mask     bool, True = 참조해도 됨, (…, S, L)에 브로드캐스트됨(길이 1인 축 포함)
        returns  (…, S, L), 자료형(dtype)과 장치는 weights와 같음

    `torch.tril(torch.ones(T, T))`가 만드는 1과 0의 삼각형도 마스크입니다. 1이 True를 뜻합니다.
    허용된 키가 없거나 허용된 가중치가 모두 0이어서 남는 것이 없는 행은 0이 되어야 하고,
    그래디언트도 유한해야 합니다. 다른 행은 남은 값이 아무리 작아도 합이 1입니다. 입력은 하나도
    수정하지 않습니다.

    예: 첫 번째 단어는 자기 자신만, 두 번째 단어는 둘 다 볼 수 있습니다.

        >>> weights = torch.tensor([[0.2, 0.8], [0.5, 0.5]])
        >>> mask_then_renormalise(weights, causal_mask(2))
        tensor([[1.0000, 0.0000],
                [0.5000, 0.5000]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("mask_then_renormalise: replace this line with your solution")


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """허용된 원소만 대상으로 한 소프트맥스를 반환합니다.

    더 나은 방법: 소프트맥스 *앞에서* 키를 가리면, 남은 키의 정규화는 소프트맥스가 해 줍니다.
    exp(-inf) = 0이므로 점수를 -inf로 두면 됩니다.

        w_ij = exp(s_ij) / Σ_k exp(s_ik)   j가 허용된 경우(아니면 0), k는 허용된 모든 키

    수식으로는 `mask_then_renormalise(softmax(scores), mask)`와 같습니다. 모든 키에 대한 합이
    약분되기 때문입니다. 실제 계산에서는 나눗셈을 한 번만 하면 되고, 더 안전합니다. 가려진 키의
    점수가 아주 크면 앞의 방법에서는 첫 소프트맥스가 다른 모든 키를 0으로 만들고, 0은 다시
    정규화할 수 없습니다. 이 방법에서는 가려진 키가 계산에 아예 들어가지 않습니다.

    모양(shape)
        scores   임의의 모양
        mask     위와 같음: bool(또는 1과 0), scores에 브로드캐스트됨
        dim      합이 1이 되도록 정규화할 축
        returns  scores와 같은 모양, 자료형(dtype), 장치

    `dim`을 따라 허용된 원소가 하나도 없으면 결과는 0이고, 그래디언트도 유한해야 합니다.
    (-inf뿐인 행의 소프트맥스는 0 / 0이고, 나중에 NaN을 다른 값으로 바꾸어도 그래디언트에는 NaN이
    남습니다.) 반정밀도에서도 동작해야 합니다. -1e9는 float16으로 표현할 수 없지만 -inf는 표현할
    수 있습니다.

    예: 가장 큰 점수가 가려져 있고, 마지막 행에는 남은 키가 없습니다.

        >>> scores = torch.tensor([[1.0, 2.0, 9.0], [1.0, 2.0, 9.0]])
        >>> masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]]))
        tensor([[0.2689, 0.7311, 0.0000],
                [0.0000, 0.0000, 0.0000]])

    작성할 부분: 전체. `torch.softmax`와 `masked_fill`이 도움이 됩니다. 입력은 하나도 수정하지
    않습니다.
    """
    raise NotImplementedError("masked_softmax: replace this line with your solution")


def padding_mask(lengths: torch.Tensor, L: int) -> torch.Tensor:
    """길이가 서로 다른 시퀀스들에서 어느 키가 단어이고 어느 키가 패딩인지를 마스크로 반환합니다.

    배치의 텐서는 직사각형이지만 문장의 길이는 제각각입니다. 그래서 짧은 문장은 아무 뜻이 없는
    토큰으로 채우고, 어느 토큰도 그 토큰을 참조하지 못하게 합니다.

        mask_bj = (j < length_b)

    모양(shape)
        lengths  (B,), 0부터 L까지의 정수
        returns  (B, 1, 1, L) bool, True = 참조해도 됨, 장치는 `lengths`와 같음

    길이가 1인 두 축은 헤드와 쿼리를 위한 것입니다. 모양이 (B, H, S, L)인 점수에 적용하면 모든
    헤드와 모든 쿼리에서 같은 키가 가려집니다. 가리는 것은 *키*입니다. 패딩 위치의 쿼리는 어디를
    보든 괜찮습니다. 그 결과는 쓰이지 않기 때문입니다.

    예: 단어가 한 개인 문장과 세 개인 문장을 길이 3으로 채웠습니다. (길이가 1인 축은 보기 쉽게
    뺐습니다.)

        >>> padding_mask(torch.tensor([1, 3]), 3)[:, 0, 0]
        tensor([[ True, False, False],
                [ True,  True,  True]])

    작성할 부분: 전체. torch의 "meta" 장치로도 시험합니다. 모양만 있고 값은 없는 장치입니다.
    """
    raise NotImplementedError("padding_mask: replace this line with your solution")


def combine_masks(*masks: torch.Tensor | None) -> torch.Tensor | None:
    """주어진 마스크가 모두 허용하는 것만 허용하는 마스크를 반환합니다.

    디코더는 미래*와* 패딩을 모두 가려야 합니다. bool 마스크에서는 두 마스크의 논리곱입니다.

        mask = mask_1 ∧ mask_2 ∧ …

    (아주 작은 음수로 된 마스크라면 논리곱 대신 두 마스크를 더하게 되는데, 가장 작은 float16 값
    둘을 더하면 -inf가 됩니다. 마스크를 끝까지 bool로 두어야 하는 또 하나의 이유입니다.)

    모양(shape)
        masks    bool, True = 참조해도 됨, 서로 브로드캐스트됨, None이면 전부 허용
        returns  bool, 공통 모양, 장치는 마스크들과 같음. 주어진 것이 없거나 None뿐이면 None

    들어온 마스크는 하나도 수정하지 않습니다. 마스크가 하나뿐이면 그대로 반환해도 됩니다.

    예: 단어 두 개와 패딩 토큰 하나가 있고, 어느 토큰도 뒤를 볼 수 없습니다.

        >>> combine_masks(causal_mask(3), None, padding_mask(torch.tensor([2]), 3))
        tensor([[[[ True, False, False],
                  [ True,  True, False],
                  [ True,  True, False]]]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("combine_masks: replace this line with your solution")


def attention_dropout(weights: torch.Tensor, p: float, training: bool) -> torch.Tensor:
    """학습할 때만 어텐션 가중치에 드롭아웃을 적용합니다.

    언제나 같은 곳에서 답을 찾는 모델은 다른 곳을 참조하지 않게 됩니다. 그래서 학습할 때 가중치를
    각각 확률 p로, 서로 독립적으로 0으로 만들고, 기댓값이 달라지지 않도록 남은 가중치를
    키웁니다(Srivastava et al., 2014. 여기서는 요즘 모두가 쓰는 대로, 학습할 때 스케일링하는
    "inverted" 방식을 씁니다).

        w'_ij = 0               확률 p로
        w'_ij = w_ij / (1 - p)  그 밖의 경우

    왜 1 / (1 - p)일까요? 1 - p의 비율로 남으므로 w'_ij의 평균은 (1 - p) · w_ij / (1 - p), 곧
    w_ij입니다. p = 0.5로만 시험하지 마세요. 그때는 1/p와 값이 같아 실수가 드러나지 않습니다. p =
    0.1이면 남은 가중치는 10배가 아니라 1.11배가 됩니다.

    그러면 행의 합은 더 이상 정확히 1이 아니고 평균만 1입니다. 그것이 맞으니 다시 정규화하지
    마세요.

    모양(shape)
        weights   임의의 모양, 보통 어텐션 가중치 (…, S, L)
        p         0부터 1까지의 확률. 1이면 모두 0이 됨
        training  드롭아웃을 적용할지 여부. 아니면 가중치를 그대로 반환
        returns   weights와 같은 모양, 자료형(dtype), 장치. 그래디언트는 0이 되지 않은 가중치를
                  통해 흐름

    예: 0.6인 가중치 10,000개 가운데 p = 0.2에서는 약 8,000개가 살아남고, 그 값은 모두 0.6 / 0.8
    = 0.75입니다.

        >>> survivors = attention_dropout(torch.full((100, 100), 0.6), p=0.2, training=True)
        >>> bool(7700 < (survivors > 0).sum() < 8300)
        True
        >>> survivors.max()
        tensor(0.7500)
        >>> attention_dropout(torch.tensor([0.6]), p=0.2, training=False)
        tensor([0.6000])

    어떤 가중치가 0이 될지는 매번 다르므로, 채점기는 수천 개의 통계만 확인합니다. 호출할 때마다
    새로 뽑아야 하니 시드는 고정하지 마세요.

    작성할 부분: 전체. `torch.rand`는 0과 1 사이의 수를 뽑습니다. `weights`는 수정하지 않습니다.
    """
    raise NotImplementedError("attention_dropout: replace this line with your solution")


class CausalAttention(nn.Module):
    """어떤 토큰도 뒤의 토큰을 보지 못하는 셀프 어텐션 헤드 하나입니다.

    쿼리, 키, 값은 같은 토큰들의 세 가지 선형 변환입니다. 여기에 앞의 삼각형을 마스크로 써서
    "Attention Is All You Need"(Vaswani et al., 2017)의 식 1을 적용합니다.

        weights = softmax(Q Kᵀ / √d_out, 허용된 키에 대해)
        output  = dropout(weights) V

    인자
        d_in            입력 토큰의 차원
        d_out           쿼리, 키, 값, 출력의 차원
        context_length  처리할 수 있는 가장 긴 시퀀스의 길이
        dropout         학습 모드에서 어텐션 가중치를 0으로 만들 확률
        qkv_bias        세 선형 변환에 편향을 둘지 여부

    채점기가 찾는 이름: `W_query`, `W_key`, `W_value`(nn.Linear), 그리고 `mask`라는 버퍼. 버퍼는
    파라미터처럼 모듈에 속하고 `.to(...)`로 함께 옮겨지지만 학습되지는 않습니다. 버퍼에 무엇을
    담을지는 자유입니다.

    예: 가중치가 무엇이든 첫 번째 토큰은 자기 자신만 볼 수 있습니다.

        >>> attention = CausalAttention(d_in=3, d_out=2, context_length=8, dropout=0.0)
        >>> tokens = torch.randn(1, 5, 3)
        >>> output = attention(tokens)
        >>> output.shape
        torch.Size([1, 5, 2])
        >>> torch.allclose(output[:, 0], attention.W_value(tokens[:, 0]))
        True
    """

    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        """세 선형 변환과 드롭아웃, 마스크를 만듭니다.

        작성할 부분: 드롭아웃, 그리고 `register_buffer`로 등록한 토큰 `context_length`개용
        마스크. 삼각형은 호출할 때마다가 아니라 여기서 한 번 만듭니다.
        """
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        raise NotImplementedError("CausalAttention.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """각 토큰이 자기 자신과 앞선 토큰들을 참조한 어텐션 결과를 반환합니다.

        모양(shape)
            x        (B, T, d_in), 1 <= T <= context_length
            returns  (B, T, d_out), 자료형(dtype)과 장치는 x와 같음

        시퀀스는 `context_length`보다 짧을 수 있습니다. 그때는 마스크의 왼쪽 위 T × T만 씁니다.
        더 길면 T와 context_length, 두 수가 모두 메시지에 들어 있는 ValueError를 일으킵니다.
        마스크는 소프트맥스 앞에서 적용하므로 가중치의 각 행의 합은 그대로 1입니다. 드롭아웃은 그
        뒤에 가중치에, 학습 모드에서만 적용합니다. `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("CausalAttention.forward: replace this line with your solution")


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 채점하지 않습니다.
if __name__ == "__main__":
    # causal_mask
    print(causal_mask(4))
    # tensor([[ True, False, False, False],
    #         [ True,  True, False, False],
    #         [ True,  True,  True, False],
    #         [ True,  True,  True,  True]])
    print(causal_mask(2, offset=3))
    # tensor([[ True,  True,  True,  True, False],
    #         [ True,  True,  True,  True,  True]])

    # mask_then_renormalise
    weights = torch.tensor([[0.2, 0.8], [0.5, 0.5]])
    print(mask_then_renormalise(weights, causal_mask(2)))
    # tensor([[1.0000, 0.0000],
    #         [0.5000, 0.5000]])

    # masked_softmax
    scores = torch.tensor([[1.0, 2.0, 9.0], [1.0, 2.0, 9.0]])
    print(masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]])))
    # tensor([[0.2689, 0.7311, 0.0000],
    #         [0.0000, 0.0000, 0.0000]])

    # padding_mask
    print(padding_mask(torch.tensor([1, 3]), 3)[:, 0, 0])
    # tensor([[ True, False, False],
    #         [ True,  True,  True]])

    # combine_masks
    print(combine_masks(causal_mask(3), None, padding_mask(torch.tensor([2]), 3)))
    # tensor([[[[ True, False, False],
    #           [ True,  True, False],
    #           [ True,  True, False]]]])

    # attention_dropout
    survivors = attention_dropout(torch.full((100, 100), 0.6), p=0.2, training=True)
    print(bool(7700 < (survivors > 0).sum() < 8300))
    # True
    print(survivors.max())
    # tensor(0.7500)
    print(attention_dropout(torch.tensor([0.6]), p=0.2, training=False))
    # tensor([0.6000])

    # CausalAttention
    attention = CausalAttention(d_in=3, d_out=2, context_length=8, dropout=0.0)
    tokens = torch.randn(1, 5, 3)
    output = attention(tokens)
    print(output.shape)
    # torch.Size([1, 5, 2])
    print(torch.allclose(output[:, 0], attention.W_value(tokens[:, 0])))
    # True
