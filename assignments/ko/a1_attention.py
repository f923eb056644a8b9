"""과제 1: 밑바닥부터 만드는 어텐션

문장을 하나 읽다가 한 단어에서 멈춰 봅시다. 그 단어를 이해하려면 앞뒤의 다른 단어들을 다시
살펴보게 되는데, 몇몇은 꼼꼼히 보고 대부분은 거의 보지 않습니다. 어텐션은 바로 그 시선을 수식으로
옮긴 것입니다. 모든 토큰은 질문 하나(쿼리)를 던지고, 이름표 하나(키)와 할 말 하나(밸류)를
내놓습니다. 이름표가 질문에 잘 맞을수록 그 밸류를 더 많이 가져옵니다.

모양을 나타내는 글자(모든 과제에서 같습니다):

    B   배치
    S   쿼리 토큰
    L   키와 밸류 토큰(S와 L은 다를 수 있음)
    Dh  쿼리와 키의 폭
    Dv  밸류의 폭
    T   토큰(쿼리와 키가 같은 토큰일 때)
    D   토큰 하나의 폭
    …   임의의 앞쪽 축: 없음, (B,), (B, H), …
"""

import torch
from torch import nn


def dot_product_loop(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """두 벡터의 내적을 수 하나하나 더해 가며 구해 반환합니다.

    어텐션 전체가 하나의 물음 위에 서 있습니다. 두 벡터는 얼마나 비슷한가? 가장 오래된 답은
    수끼리 짝지어 곱한 뒤 그 곱을 모두 더하는 것입니다.

        a · b = Σ_i a_i b_i

    두 벡터가 같은 쪽을 가리키면 크고, 직각이면 0이고, 반대쪽을 가리키면 음수입니다. 벡터의
    길이도 영향을 줍니다. 길이가 두 배인 벡터는 점수도 두 배입니다.

    모양(shape)
        a, b     (D,)
        returns  (): 수 하나로 된 텐서, 자료형(dtype)은 a와 같음

    예: 문장 "Your journey starts with one step"의 "Your"와 "journey"를 수 세 개짜리 벡터로
    나타낸 것입니다. 이 문장은 Raschka의 "Build a Large Language Model (From Scratch)" 3장에서
    계속 쓰는 예이고, 앞으로 두 과제 동안 우리와 함께합니다.

        >>> your, journey = torch.tensor([0.43, 0.15, 0.89]), torch.tensor([0.55, 0.87, 0.66])
        >>> dot_product_loop(your, journey)
        tensor(0.9544)

    작성할 부분: 전체. 수를 하나씩 도는 `for` 반복문을 쓰고, 이번만큼은 torch의 곱과 합 함수를
    쓰지 않습니다. 평범한 0.0에서 시작하면 합은 더해지는 값의 자료형(dtype)을 따라갑니다.
    """
    raise NotImplementedError("dot_product_loop: replace this line with your solution")


def attention_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """모든 쿼리와 모든 키의 내적을 반환합니다.

    여섯 단어와 여섯 단어 사이에는 내적이 36개, 글 한 쪽이면 백만 개가 있는데, 파이썬 반복문은 그
    하나하나에 시간을 씁니다. 행렬의 곱이 바로 그것입니다. 한 행렬의 행들과 다른 행렬의 열들
    사이의 내적 전부를, 기계가 가장 빠르게 하는 방식으로 구합니다.

        scores = Q Kᵀ        scores_ij = query_i · key_j

    결과의 행은 쿼리에, 열은 키에 속합니다. 처음부터 이 둘을 구분해 두세요. 모든 축의 길이가
    같아지면 숫자만 보고는 결코 알아챌 수 없습니다.

    모양(shape)
        query    (…, S, Dh)
        key      (…, L, Dh)
        returns  (…, S, L), 자료형(dtype)과 장치는 쿼리와 같음

    키의 마지막 두 축만 자리를 바꿉니다. 배치의 샘플들, 그리고 헤드들은 서로 섞이지 않습니다.
    여기서는 나누지도 정규화하지도 않습니다. 그것은 다음 연습문제들의 몫입니다.

    예: 쿼리 하나와 키 셋. 첫째 키는 쿼리와 같은 쪽, 둘째는 직각, 셋째는 반대쪽을 가리킵니다.

        >>> query = torch.tensor([[2.0, 0.0]])
        >>> key = torch.tensor([[3.0, 0.0], [0.0, 3.0], [-1.0, 1.0]])
        >>> attention_scores(query, key)
        tensor([[ 6.,  0., -2.]])

    작성할 부분: 전체(반복문 없이). `query`와 `key`는 수정하지 않습니다.
    """
    raise NotImplementedError("attention_scores: replace this line with your solution")


def normalise_by_sum(scores: torch.Tensor) -> torch.Tensor:
    """점수를 그 합으로 나누어, 더하면 1이 되는 몫을 반환합니다.

    어텐션은 점수에서 시작합니다. 토큰마다 수가 하나씩 있고, 클수록 더 중요합니다. 토큰을
    섞으려면 전체에 대한 몫이 필요한데, 가장 먼저 떠오르는 생각이 제법 괜찮습니다.

        share_i = score_i / Σ_j score_j

    모양(shape)
        scores   (T,)
        returns  (T,), 자료형(dtype)은 scores와 같음

    예: 문장 "Your journey starts with one step"의 여섯 단어에 대한 단어 "journey"의 점수입니다.

        >>> normalise_by_sum(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]))
        tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])

    그런데 아무도 이 생각에서 멈추지 않는 까닭이 있습니다. 점수는 음수일 수 있고, 그러면 몫도
    음수가 됩니다. 어떤 토큰을 *전혀 안 섞는 것보다 덜* 섞게 되는 셈입니다.

        >>> normalise_by_sum(torch.tensor([3.0, 1.0, -2.0]))
        tensor([ 1.5000,  0.5000, -1.0000])

    합이 0이면 더 곤란합니다. (이것은 채점하지 않습니다. 좋은 답이 없기 때문입니다.)

    작성할 부분: 전체. `scores`는 수정하지 않습니다.
    """
    raise NotImplementedError("normalise_by_sum: replace this line with your solution")


def softmax_naive(x: torch.Tensor) -> torch.Tensor:
    """exp(x)를 그 합으로 나눈 것, 곧 공식 그대로의 소프트맥스를 반환합니다.

        softmax(x)_i = exp(x_i) / Σ_j exp(x_j)

    지수 함수가 정규화 전에 모든 수를 양수로 만들어 주므로 몫은 모두 0과 1 사이에 놓입니다.
    순서는 그대로이고, 이긴 쪽에는 후합니다. 점수가 1만큼 크면 두 점수가 얼마이든 몫은 e ≈
    2.718배가 됩니다.

    모양(shape)
        x        (T,)
        returns  (T,), 자료형(dtype)은 x와 같음

    예: 같은 여섯 점수입니다.

        >>> softmax_naive(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]))
        tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])

    순진하다고(naive) 부르는 까닭은 exp가 너무 빨리 커지기 때문입니다. float32에서 exp(89)는 벌써
    무한대이고, 무한대 / 무한대는 NaN입니다. 이 함수는 그래도 괜찮으며, 그런 점수로는 채점하지
    않습니다.

        >>> softmax_naive(torch.tensor([100.0, 0.0]))
        tensor([nan, 0.])

    작성할 부분: 전체(`exp`와 `sum`으로). `x`는 수정하지 않습니다.
    """
    raise NotImplementedError("softmax_naive: replace this line with your solution")


def stable_softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """어떤 크기의 수가 와도 한 축을 따라 소프트맥스를 반환합니다.

    빠져나갈 길은 식 한 줄에 있습니다. 모든 점수에 같은 상수를 더하면 분자와 분모에 같은 수가
    곱해지므로 아무것도 달라지지 않습니다.

        exp(x_i - m) / Σ_j exp(x_j - m)  =  exp(x_i) / Σ_j exp(x_j)        모든 m에 대해

    m으로 *그 행의* 가장 큰 점수를 고릅니다. 그러면 가장 큰 지수가 0이 되어 어떤 exp도 1을 넘지
    않고, 합은 적어도 1이며, 아무것도 오버플로하지 않습니다. 최댓값보다 한참 작은 점수는 0이
    되는데, float가 가진 자릿수로 보면 실제로 0입니다. (Goodfellow·Bengio·Courville의 "Deep
    Learning" 4.1절에 이 이야기가 나옵니다.)

    모양(shape)
        x        축이 하나 이상인 임의의 모양
        dim      항들의 합이 1이 되어야 하는 축
        returns  x와 같은 모양, 자료형(dtype), 장치

    -inf인 항의 몫은 0입니다. 마스크가 바로 이렇게 작동하게 됩니다. (전부 -inf인 행은 여기서
    채점하지 않습니다. 그런 행에는 소프트맥스가 없고, `scaled_dot_product_attention`에서
    다룹니다.) 그래디언트는 소프트맥스의 그래디언트이며, 점수가 수천이어도 유한합니다.

    예: 순진한 버전이라면 NaN이 나오는 점수입니다.

        >>> stable_softmax(torch.tensor([1000.0, 1001.0, 1002.0]))
        tensor([0.0900, 0.2447, 0.6652])
        >>> stable_softmax(torch.tensor([[0.0, 9.0], [0.0, -torch.inf]]), dim=0)
        tensor([[0.5000, 1.0000],
                [0.5000, 0.0000]])

    작성할 부분: 전체(`exp`, `sum`, 그리고 최댓값으로). 그것이 이 연습문제의 핵심입니다. 다음
    연습문제부터는 torch.softmax를 써도 됩니다. `x`는 수정하지 않습니다.
    """
    raise NotImplementedError("stable_softmax: replace this line with your solution")


def context_vector(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """밸류들을 가중치만큼씩 섞은 것을 반환합니다.

    점수가 가중치가 되었습니다. 이제 무엇에 쓸까요? 토큰들을 한데 섞는 데 씁니다. 가중치가 0.24인
    토큰은 자신의 0.24만큼을 내놓고, 그 조각을 모두 더한 것이 *문맥 벡터*입니다. 길이는 토큰
    하나와 같고, 모든 토큰이 조금씩 들어 있습니다.

        z = Σ_j w_j v_j

    모양(shape)
        weights  (T,)
        values   (T, D)
        returns  (D,), 자료형(dtype)은 values와 같음

    가중치는 합이 얼마이든 받은 그대로 씁니다.

    예: 첫째 밸류의 4분의 1과 둘째 밸류의 4분의 3입니다.

        >>> context_vector(torch.tensor([0.25, 0.75]), torch.tensor([[8.0, 0.0], [0.0, 4.0]]))
        tensor([2., 3.])

    작성할 부분: 전체. `weights`와 `values`는 수정하지 않습니다.
    """
    raise NotImplementedError("context_vector: replace this line with your solution")


def simple_self_attention(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """모든 토큰이 모든 토큰을 보게 하고, 문맥 벡터와 가중치를 반환합니다.

    *셀프* 어텐션에서는 쿼리, 키, 밸류가 모두 같은 것, 곧 토큰 자신입니다. 아직 배우는 것이 없고
    파라미터도 하나 없지만, 어텐션을 이루는 것은 벌써 다 있습니다.

        weights = softmax(X Xᵀ)        context = weights X

    1. 점수: 모든 토큰과 모든 토큰 사이의 점수를 스케일링 없이 구합니다.
    2. 각 행을 따라 소프트맥스를 적용해, 토큰마다 나누어 주는 가중치의 합이 1이 되게 합니다.
    3. 섞기: 가중치의 행 하나에서 문맥 벡터가 하나 나옵니다.

    한 가지가 빠져 있고, 그 사실을 증명할 수도 있습니다. 바로 단어의 순서입니다. 토큰을 뒤섞으면
    같은 문맥 벡터가 똑같이 뒤섞여 나옵니다. (이 함수에는 "Dog bites man"과 "man bites dog"이
    같은 문장입니다.) 그래서 뒤의 과제에서 위치를 더합니다.

    모양(shape)
        x        (T, D) 또는 (B, T, D)
        returns  context는 x와 같은 모양, weights는 (T, T) 또는 (B, T, T), 자료형(dtype)은 x와
                 같음

    예: 처음 두 토큰은 서로 같아서 어텐션을 나누어 갖고, 셋째 토큰은 다른 토큰보다 자기 자신과의
    점수가 더 높습니다.

        >>> context, weights = simple_self_attention(torch.tensor([[1.0], [1.0], [2.0]]))
        >>> weights
        tensor([[0.2119, 0.2119, 0.5761],
                [0.2119, 0.2119, 0.5761],
                [0.1065, 0.1065, 0.7870]])
        >>> context
        tensor([[1.5761],
                [1.5761],
                [1.7870]])

    작성할 부분: 전체. 점수가 수천이어도 가중치는 유한합니다(`torch.softmax`가 알아서 해 주고,
    여러분의 안정적인 소프트맥스도 마찬가지입니다). `x`는 수정하지 않습니다.
    """
    raise NotImplementedError("simple_self_attention: replace this line with your solution")


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """모든 쿼리가 모든 키에 주목하게 하고, 섞인 밸류와 가중치를 반환합니다.

    "Attention Is All You Need"(Vaswani et al., 2017)의 식 1에 마스크 M을 더한 것입니다.

        Attention(Q, K, V) = softmax(Q Kᵀ / √Dh + M) V

    안쪽에서 바깥쪽으로 읽어 봅시다.

    1. 점수. 모든 쿼리와 모든 키의 내적입니다. 이 이름표는 저 질문에 얼마나 잘 맞을까요? 쌍마다
       수가 하나씩이므로 (…, S, L)입니다.
    2. 스케일. 서로 독립인 항 Dh개로 된 내적은 퍼진 정도가 √Dh처럼 커지고, 점수가 크면
       소프트맥스가 그래디언트가 사라지는 쪽으로 밀려납니다. 그래서 √Dh로 나눕니다. 밸류의 폭이
       얼마이든 *쿼리와 키*의 폭입니다.
    3. 마스크. 소프트맥스 전에 정합니다. 그래야 남은 것의 합이 그대로 1입니다.
    4. *키*를 따라 소프트맥스를 적용합니다. 모든 쿼리는 L개의 키에 가중치를 모두 합쳐 1만큼
       씁니다.
    5. 섞기. 출력은 각각 밸류들의 가중 평균입니다.

    모양(shape)
        query   (…, S, Dh)
        key     (…, L, Dh)
        value   (…, L, Dv)
        mask    (…, S, L)에 브로드캐스트됨(길이 1인 축 포함), None이면 전부 허용
        returns 출력 (…, S, Dv)와 가중치 (…, S, L), 자료형(dtype)과 장치는 쿼리와 같음

    마스크는 두 종류입니다.
        bool    True는 torch.nn.functional에서처럼 *주목해도 됨*을 뜻합니다.
                (torch.nn.MultiheadAttention에서는 뜻이 반대입니다. 둘을 혼동하는 것은 단골
                실수입니다.)
        float   스케일링한 점수에 더합니다. -inf만이 금지하고, 유한한 수는 모두 편향입니다.
                마스크의 float 자료형(dtype)이 다르면 쿼리의 것으로 바꿉니다.

    주목할 키가 하나도 허용되지 않은 쿼리는 출력도 가중치도 0이 되고, 그래디언트는 유한하게
    남습니다. (-inf만 있는 행의 소프트맥스는 NaN입니다. 이 행은 한 번 생각해 보아야 합니다.)

    인자는 결코 수정하지 않습니다. 반정밀도는 반정밀도로 남습니다. -1e9는 float16에 들어가지
    않지만 -inf는 들어갑니다.

    예: 쿼리 하나가 첫째 축을 가리키고, 첫째 키도 그렇습니다. 점수는 2와 0, √4로 나누면 1과
    0이고, 그 소프트맥스는 0.7311과 0.2689입니다.

        >>> query = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
        >>> key = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
        >>> value = torch.tensor([[10.0], [20.0]])
        >>> output, weights = scaled_dot_product_attention(query, key, value)
        >>> weights
        tensor([[0.7311, 0.2689]])
        >>> output
        tensor([[12.6894]])
        >>> scaled_dot_product_attention(query, key, value, torch.tensor([[False, True]]))
        (tensor([[20.]]), tensor([[0., 1.]]))

    작성할 부분: 전체. 도움이 되는 torch의 기능은 `@`, `transpose`, `masked_fill`,
    `softmax`입니다. torch의 어텐션 함수 자체는 쓸 수 없습니다.
    """
    raise NotImplementedError("scaled_dot_product_attention: replace this line with your solution")


class SelfAttentionV1(nn.Module):
    """학습할 수 있는 행렬 세 개를 가진 셀프 어텐션입니다.

    지금까지는 토큰의 질문과 이름표와 내용이 모두 같은 벡터였습니다. 그래서는 대화가 시시합니다.
    모든 토큰이 자기 자신을 가장 흥미로워하니까요. 그래서 행렬 세 개로 토큰마다 서로 다른 얼굴 세
    개를 만듭니다(Vaswani et al., 2017, 3.2.2절, 헤드가 하나일 때).

        Q = X W_q      K = X W_k      V = X W_v
        context = softmax(Q Kᵀ / √d_out) V

    학습은 어텐션이 쓸모 있어지는 행렬을 찾아냅니다. 여기서는 무작위 값으로 시작합니다.

    인자
        d_in   들어오는 토큰의 폭
        d_out  쿼리, 키, 밸류, 그리고 결과의 폭

    채점기가 찾는 이름: `W_query`, `W_key`, `W_value`. 각각 모양이 (d_in, d_out)인
    nn.Parameter이며, 그래서 `x @ W_query`를 식에 있는 그대로 쓸 수 있습니다.

    예:

        >>> attention = SelfAttentionV1(d_in=3, d_out=2)
        >>> attention(torch.randn(6, 3)).shape
        torch.Size([6, 2])
        >>> [name for name, _ in attention.named_parameters()]
        ['W_query', 'W_key', 'W_value']
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        """행렬 세 개를 만듭니다.

        작성할 부분: 무작위 값을 가진 파라미터(`torch.rand`). 평범한 텐서는 학습되지도,
        저장되지도, 다른 장치로 옮겨지지도 않습니다. 그 일을 해 주는 것이 `nn.Parameter`입니다.
        """
        super().__init__()
        raise NotImplementedError("SelfAttentionV1.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """각 토큰의 문맥 벡터를 반환합니다.

        모양(shape)
            x        (T, d_in) 또는 (B, T, d_in)
            returns  (T, d_out) 또는 (B, T, d_out), 자료형(dtype)과 장치는 x와 같음

        작성할 부분: 전체, 또는 여러분이 만든 `scaled_dot_product_attention` 호출. `.T`는
        행렬용이라는 점에 주의하세요. 배치에는 축이 세 개 있습니다. `x`는 수정하지 않습니다.
        """
        raise NotImplementedError("SelfAttentionV1.forward: replace this line with your solution")


class SelfAttentionV2(nn.Module):
    """같은 어텐션을, 세 행렬을 nn.Linear 계층에 담아 만듭니다.

    nn.Linear(d_in, d_out)은 예의를 더 갖춘 행렬입니다. 알맞은 크기의 수에서 시작하고, 원하면
    편향도 가집니다. 다만 누구나 한 번은 놀라는 점이 있습니다. 가중치가 거꾸로 (d_out, d_in)으로
    저장되어 있고, 실제로 계산하는 것은 다음과 같습니다.

        linear(x) = x Wᵀ + b

    인자
        d_in, d_out  앞과 같음
        qkv_bias     세 계층이 편향을 가지는지 여부

    채점기가 찾는 이름: `W_query`, `W_key`, `W_value`. 각각 nn.Linear입니다.

    예:

        >>> attention = SelfAttentionV2(d_in=3, d_out=2)
        >>> attention.W_query.weight.shape
        torch.Size([2, 3])
        >>> attention(torch.randn(4, 6, 3)).shape
        torch.Size([4, 6, 2])
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        """계층 세 개를 만듭니다.

        작성할 부분: 계층들.
        """
        super().__init__()
        raise NotImplementedError("SelfAttentionV2.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """각 토큰의 문맥 벡터를 반환합니다.

        모양(shape)
            x        (T, d_in) 또는 (B, T, d_in)
            returns  (T, d_out) 또는 (B, T, d_out), 자료형(dtype)과 장치는 x와 같음

        작성할 부분: 전체. `x`는 수정하지 않습니다.
        """
        raise NotImplementedError("SelfAttentionV2.forward: replace this line with your solution")


def copy_v2_to_v1(v2: SelfAttentionV2, v1: SelfAttentionV1) -> None:
    """SelfAttentionV1이 SelfAttentionV2와 같은 것을 계산하게 합니다.

    두 클래스는 한 함수의 두 가지 표기이고, 이것이 그 증명입니다. 같은 수를 넣으면 같은 문맥
    벡터가 나옵니다. 한 배치 방식의 가중치를 다른 방식으로 옮기는 일은 사실 일상입니다. 공개된
    체크포인트를 불러오는 사람은 누구나 합니다.

    `v1`은 제자리에서(in-place) 바뀌고, `v2`는 그대로이며, 그 뒤로 둘은 메모리를 공유하지
    않습니다. 하나를 학습해도 다른 하나는 움직이지 않습니다. `v1`의 파라미터는 여전히 같은 이름의
    학습 가능한 파라미터입니다. 편향이 있는 `v2`는 `v1`에 둘 자리가 없어 복사할 수 없으니
    ValueError를 일으킵니다.

    예:

        >>> v1, v2 = SelfAttentionV1(3, 2), SelfAttentionV2(3, 2)
        >>> x = torch.randn(6, 3)
        >>> torch.allclose(v1(x), v2(x))
        False
        >>> copy_v2_to_v1(v2, v1)
        >>> torch.allclose(v1(x), v2(x), atol=1e-6)
        True

    작성할 부분: 전체. torch는 그래디언트를 기록하는 동안에는 파라미터를 제자리에서 바꾸지 못하게
    합니다: `with torch.no_grad():`.
    """
    raise NotImplementedError("copy_v2_to_v1: replace this line with your solution")


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 절대 채점하지 않습니다.
if __name__ == "__main__":
    # dot_product_loop
    your, journey = torch.tensor([0.43, 0.15, 0.89]), torch.tensor([0.55, 0.87, 0.66])
    print(dot_product_loop(your, journey))
    # tensor(0.9544)

    # attention_scores
    query = torch.tensor([[2.0, 0.0]])
    key = torch.tensor([[3.0, 0.0], [0.0, 3.0], [-1.0, 1.0]])
    print(attention_scores(query, key))
    # tensor([[ 6.,  0., -2.]])

    # normalise_by_sum
    print(normalise_by_sum(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])))
    # tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])
    print(normalise_by_sum(torch.tensor([3.0, 1.0, -2.0])))
    # tensor([ 1.5000,  0.5000, -1.0000])

    # softmax_naive
    print(softmax_naive(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])))
    # tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])
    print(softmax_naive(torch.tensor([100.0, 0.0])))
    # tensor([nan, 0.])

    # stable_softmax
    print(stable_softmax(torch.tensor([1000.0, 1001.0, 1002.0])))
    # tensor([0.0900, 0.2447, 0.6652])
    print(stable_softmax(torch.tensor([[0.0, 9.0], [0.0, -torch.inf]]), dim=0))
    # tensor([[0.5000, 1.0000],
    #         [0.5000, 0.0000]])

    # context_vector
    print(context_vector(torch.tensor([0.25, 0.75]), torch.tensor([[8.0, 0.0], [0.0, 4.0]])))
    # tensor([2., 3.])

    # simple_self_attention
    context, weights = simple_self_attention(torch.tensor([[1.0], [1.0], [2.0]]))
    print(weights)
    # tensor([[0.2119, 0.2119, 0.5761],
    #         [0.2119, 0.2119, 0.5761],
    #         [0.1065, 0.1065, 0.7870]])
    print(context)
    # tensor([[1.5761],
    #         [1.5761],
    #         [1.7870]])

    # scaled_dot_product_attention
    query = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
    key = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    value = torch.tensor([[10.0], [20.0]])
    output, weights = scaled_dot_product_attention(query, key, value)
    print(weights)
    # tensor([[0.7311, 0.2689]])
    print(output)
    # tensor([[12.6894]])
    print(scaled_dot_product_attention(query, key, value, torch.tensor([[False, True]])))
    # (tensor([[20.]]), tensor([[0., 1.]]))

    # SelfAttentionV1
    attention = SelfAttentionV1(d_in=3, d_out=2)
    print(attention(torch.randn(6, 3)).shape)
    # torch.Size([6, 2])
    print([name for name, _ in attention.named_parameters()])
    # ['W_query', 'W_key', 'W_value']

    # SelfAttentionV2
    attention = SelfAttentionV2(d_in=3, d_out=2)
    print(attention.W_query.weight.shape)
    # torch.Size([2, 3])
    print(attention(torch.randn(4, 6, 3)).shape)
    # torch.Size([4, 6, 2])

    # copy_v2_to_v1
    v1, v2 = SelfAttentionV1(3, 2), SelfAttentionV2(3, 2)
    x = torch.randn(6, 3)
    print(torch.allclose(v1(x), v2(x)))
    # False
    copy_v2_to_v1(v2, v1)
    print(torch.allclose(v1(x), v2(x), atol=1e-6))
    # True
