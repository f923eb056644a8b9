"""과제 1: 밑바닥부터 만드는 어텐션

문장을 하나 읽다가 한 단어에서 멈춰 봅시다. 그 단어를 이해하려면 앞뒤의 다른 단어들을 다시
살펴보게 되는데, 몇몇은 꼼꼼히 보고 대부분은 거의 보지 않습니다. 어텐션은 바로 그 시선을 수식으로
옮긴 것입니다. 모든 토큰은 질문 하나(쿼리)를 던지고, 이름표 하나(키)와 할 말 하나(값)를
내놓습니다. 이름표가 질문에 잘 맞을수록 그 값을 더 많이 가져옵니다.

torch에 들어 있는 어텐션은 여기에서도, 이후의 모든 과제에서도 사용할 수 없습니다.
`F.scaled_dot_product_attention`도 `nn.MultiheadAttention`도 안 됩니다. 그것을 직접 작성하는 것이
과제입니다. 그래디언트가 필요 없다는 말이 없다면, 입력까지 그래디언트가 흐르도록 torch의 다른
연산으로 계산하세요.

모양을 나타내는 글자(모든 과제에서 같습니다):

    B   배치
    S   쿼리 토큰
    L   키와 값 토큰(S와 L은 다를 수 있음)
    Dh  쿼리와 키의 차원
    Dv  값의 차원
    T   토큰(쿼리와 키가 같은 토큰일 때)
    D   토큰 하나의 차원
    …   임의의 앞쪽 축: 없음, (B,), (B, H), …
"""

import torch
from torch import nn


def dot_product_loop(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """두 벡터의 원소별 곱을 하나씩 더해 내적을 계산합니다.

    어텐션은 한 가지 질문에서 출발합니다. 두 벡터는 얼마나 비슷할까요? 가장 오래된 답은 원소끼리
    곱한 뒤 모두 더하는 것입니다.

        a · b = Σ_i a_i b_i

    두 벡터의 방향이 같으면 크고, 직각이면 0이고, 반대이면 음수입니다. 벡터의 길이도 영향을
    줍니다. 길이가 두 배인 벡터는 점수도 두 배입니다.

    모양(shape)
        a, b     (D,)
        returns  (): 원소가 하나인 텐서, 자료형(dtype)은 a와 같음

    예: 문장 "Your journey starts with one step"의 "Your"와 "journey"를 원소가 세 개인 벡터로
    나타냈습니다. 이 문장은 Raschka의 "Build a Large Language Model (From Scratch)" 3장에서 쓰는
    예이고, 과제 1과 2에서 계속 사용합니다.

        >>> your, journey = torch.tensor([0.43, 0.15, 0.89]), torch.tensor([0.55, 0.87, 0.66])
        >>> dot_product_loop(your, journey)
        tensor(0.9544)

    작성할 부분: 전체. 원소를 하나씩 도는 `for` 반복문을 쓰고, 이번에는 torch의 곱과 합 함수를
    쓰지 않습니다. 값은 부동소수점 수이므로, 0.0에서 시작하면 합의 자료형(dtype)은 더해지는 값을
    따릅니다.
    """
    raise NotImplementedError("dot_product_loop: replace this line with your solution")


def attention_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """모든 쿼리와 모든 키의 내적을 반환합니다.

    단어 여섯 개와 단어 여섯 개 사이에는 내적이 36개, 텍스트 두 쪽이면 백만 개쯤 있습니다. Python
    반복문으로 하나씩 계산하면 너무 느립니다. 행렬 곱을 쓰면 한 행렬의 모든 행과 다른 행렬의 모든
    열 사이의 내적을 한 번에, 빠르게 구할 수 있습니다.

        scores = Q Kᵀ        scores_ij = query_i · key_j

    결과의 행은 쿼리에, 열은 키에 대응합니다. 처음부터 이 둘을 구분해 두세요. 두 축의 길이가
    같으면 숫자만 보고는 구분할 수 없습니다.

    모양(shape)
        query    (…, S, Dh)
        key      (…, L, Dh)
        returns  (…, S, L), 자료형(dtype)과 장치는 쿼리와 같음

    키의 마지막 두 축만 맞바꿉니다. 배치의 샘플들과 헤드들은 서로 섞이지 않습니다. 나누기와
    정규화는 여기서 하지 않고, 다음 연습문제에서 합니다.

    예: 쿼리 하나와 키 셋. 첫 번째 키는 쿼리와 같은 방향, 두 번째는 직각, 세 번째는 반대
    방향입니다.

        >>> query = torch.tensor([[2.0, 0.0]])
        >>> key = torch.tensor([[3.0, 0.0], [0.0, 3.0], [-1.0, 1.0]])
        >>> attention_scores(query, key)
        tensor([[ 6.,  0., -2.]])

    작성할 부분: 전체(반복문 없이). `query`와 `key`는 수정하지 않습니다.
    """
    raise NotImplementedError("attention_scores: replace this line with your solution")


def normalise_by_sum(scores: torch.Tensor) -> torch.Tensor:
    """점수를 전체 합으로 나누어 합이 1이 되도록 정규화합니다.

    어텐션은 점수에서 시작합니다. 토큰마다 점수가 하나씩 있고, 클수록 더 중요합니다. 토큰을
    섞으려면 전체에 대한 비율이 필요한데, 가장 먼저 떠오르는 방법은 다음과 같습니다.

        share_i = score_i / Σ_j score_j

    모양(shape)
        scores   (T,)
        returns  (T,), 자료형(dtype)은 scores와 같음

    예: 문장 "Your journey starts with one step"의 여섯 단어에 대한 단어 "journey"의 점수입니다.

        >>> normalise_by_sum(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]))
        tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])

    그런데 이 방법으로는 충분하지 않습니다. 점수는 음수일 수 있고, 그러면 비율도 음수가 됩니다.
    어떤 토큰을 *0보다 적게* 섞는 셈입니다.

        >>> normalise_by_sum(torch.tensor([3.0, 1.0, -2.0]))
        tensor([ 1.5000,  0.5000, -1.0000])

    합이 0이면 더 곤란합니다. (이것은 채점하지 않습니다. 좋은 답이 없기 때문입니다.)

    작성할 부분: 전체. `scores`는 수정하지 않습니다.
    """
    raise NotImplementedError("normalise_by_sum: replace this line with your solution")


def softmax_naive(x: torch.Tensor) -> torch.Tensor:
    """exp(x)를 그 합으로 나눈 값, 곧 공식 그대로의 소프트맥스를 반환합니다.

        softmax(x)_i = exp(x_i) / Σ_j exp(x_j)

    지수 함수는 정규화하기 전에 모든 점수를 양수로 바꾸므로 비율은 모두 0과 1 사이에 있습니다.
    크기 순서는 유지되고, 가장 큰 점수가 훨씬 큰 비중을 차지합니다. 점수가 1만큼 크면 비율은
    점수가 얼마이든 e ≈ 2.718배가 됩니다.

    모양(shape)
        x        (T,)
        returns  (T,), 자료형(dtype)은 x와 같음

    예: 같은 점수 여섯 개입니다.

        >>> softmax_naive(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]))
        tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])

    단순한(naive) 구현이라고 부르는 이유는 exp가 너무 빨리 커지기 때문입니다. float32에서
    exp(89)는 이미 무한대이고, 무한대 / 무한대는 NaN입니다. 이 함수에서는 그래도 괜찮으며, 그런
    점수로는 채점하지 않습니다.

        >>> softmax_naive(torch.tensor([100.0, 0.0]))
        tensor([nan, 0.])

    작성할 부분: 전체(`exp`와 `sum`으로). `x`는 수정하지 않습니다.
    """
    raise NotImplementedError("softmax_naive: replace this line with your solution")


def stable_softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """점수의 크기와 상관없이 안전하게, 한 축을 따라 소프트맥스를 계산합니다.

    해결책은 식 한 줄에 있습니다. 모든 점수에 같은 상수를 더하면 분자와 분모에 같은 수가
    곱해지므로 아무것도 달라지지 않습니다.

        exp(x_i - m) / Σ_j exp(x_j - m)  =  exp(x_i) / Σ_j exp(x_j)        모든 m에 대해

    m으로 *그 행의* 가장 큰 점수를 고릅니다. 그러면 가장 큰 지수가 0이 되어 어떤 exp도 1을 넘지
    않고, 합은 적어도 1이며, 오버플로가 일어나지 않습니다. 최댓값보다 훨씬 작은 점수는 0이
    되는데, float의 정밀도로는 실제로 0입니다. (Goodfellow·Bengio·Courville의 "Deep Learning"
    4.1절에서 설명합니다.)

    모양(shape)
        x        축이 하나 이상인 임의의 모양
        dim      합이 1이 되도록 정규화할 축
        returns  x와 같은 모양, 자료형(dtype), 장치

    값이 -inf인 원소의 비율은 0이 됩니다. 마스크는 바로 이 성질을 이용합니다. (전부 -inf인 행은
    여기서 채점하지 않습니다. 그런 행에는 소프트맥스가 정의되지 않으며,
    `scaled_dot_product_attention`에서 다룹니다.) 그래디언트는 소프트맥스의 그래디언트이며,
    점수가 수천이어도 유한합니다.

    예: 단순한 구현이라면 NaN이 나오는 점수입니다.

        >>> stable_softmax(torch.tensor([1000.0, 1001.0, 1002.0]))
        tensor([0.0900, 0.2447, 0.6652])
        >>> stable_softmax(torch.tensor([[0.0, 9.0], [0.0, -torch.inf]]), dim=0)
        tensor([[0.5000, 1.0000],
                [0.5000, 0.0000]])

    작성할 부분: 전체(`exp`, `sum`, 그리고 최댓값으로). torch.softmax를 쓰지 않는 것이 이
    연습문제의 핵심이고, 다음 연습문제부터는 써도 됩니다. `x`는 수정하지 않습니다.
    """
    raise NotImplementedError("stable_softmax: replace this line with your solution")


def context_vector(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """가중치로 값(value) 벡터들의 가중합을 계산합니다.

    점수를 가중치로 바꾸었습니다. 이제 이 가중치로 토큰들을 섞습니다. 각 토큰에 자기 가중치를
    곱해 모두 더한 것이 *문맥 벡터*입니다. 예를 들어 가중치가 0.24인 토큰은 0.24배만큼
    들어갑니다. 문맥 벡터의 길이는 토큰 하나와 같고, 모든 토큰의 정보가 조금씩 들어 있습니다.

        z = Σ_j w_j v_j

    모양(shape)
        weights  (T,)
        values   (T, D)
        returns  (D,), 자료형(dtype)은 values와 같음

    가중치는 합이 얼마이든 받은 그대로 씁니다.

    예: 첫 번째 값의 4분의 1과 두 번째 값의 4분의 3을 더합니다.

        >>> context_vector(torch.tensor([0.25, 0.75]), torch.tensor([[8.0, 0.0], [0.0, 4.0]]))
        tensor([2., 3.])

    작성할 부분: 전체. `weights`와 `values`는 수정하지 않습니다.
    """
    raise NotImplementedError("context_vector: replace this line with your solution")


def simple_self_attention(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """모든 토큰이 모든 토큰을 보게 하고, 문맥 벡터와 가중치를 반환합니다.

    *셀프* 어텐션에서는 쿼리, 키, 값이 모두 같은 것, 곧 토큰 자신입니다. 아직 학습하는 것도 없고
    파라미터도 하나 없지만, 어텐션을 이루는 요소는 이미 모두 있습니다.

        weights = softmax(X Xᵀ)        context = weights X

    1. 점수: 모든 토큰과 모든 토큰 사이의 점수를 스케일링하지 않고 구합니다.
    2. 각 행을 따라 소프트맥스를 적용해, 토큰마다 가중치의 합이 1이 되게 합니다.
    3. 가중합: 가중치의 행 하나에서 문맥 벡터가 하나 나옵니다.

    한 가지가 빠져 있는데, 직접 확인할 수 있습니다. 바로 단어의 순서입니다. 토큰을 뒤섞으면 같은
    문맥 벡터가 똑같이 뒤섞여 나옵니다. (이 함수에는 "Dog bites man"과 "man bites dog"이 같은
    문장입니다.) 그래서 뒤의 과제에서 위치를 더합니다.

    모양(shape)
        x        (T, D) 또는 (B, T, D)
        returns  context는 x와 같은 모양, weights는 (T, T) 또는 (B, T, T), 자료형(dtype)은 x와
                 같음

    예: 두 토큰은 같고, 세 번째 토큰의 벡터는 두 배 깁니다. 벡터가 길수록 내적이 커지므로, 짧은
    토큰을 포함한 세 토큰 모두 세 번째 토큰에 가장 큰 가중치를 줍니다.

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
    """모든 쿼리에서 모든 키로 어텐션을 계산하고, 값의 가중합과 가중치를 반환합니다.

    "Attention Is All You Need"(Vaswani et al., 2017)의 식 1에 마스크 M을 더한 것입니다.

        Attention(Q, K, V) = softmax(Q Kᵀ / √Dh + M) V

    안쪽에서 바깥쪽으로 차례로 살펴봅시다.

    1. 점수. 모든 쿼리와 모든 키의 내적입니다. 이 이름표는 저 질문에 얼마나 잘 맞을까요? 쌍마다
       점수가 하나씩이므로 (…, S, L)입니다.
    2. 스케일. 내적은 Dh개의 곱을 더한 값입니다. 곱들이 서로 독립이고 평균이 0이면 내적의
       표준편차는 √Dh에 비례해 커집니다. 점수가 너무 크면 소프트맥스가 포화되어 그래디언트가 거의
       사라집니다. 그래서 √Dh로 나눕니다. 값의 차원이 얼마이든 Dh는 *쿼리와 키*의 차원입니다.
    3. 마스크. 소프트맥스 앞에서 적용합니다. 그래야 남은 가중치의 합이 그대로 1입니다.
    4. *키* 축을 따라 소프트맥스를 적용합니다. 쿼리마다 L개 키에 대한 가중치의 합이 1입니다.
    5. 가중합. 각 출력은 값들의 가중 평균입니다.

    모양(shape)
        query   (…, S, Dh)
        key     (…, L, Dh)
        value   (…, L, Dv)
        mask    (…, S, L)에 브로드캐스트됨(길이 1인 축 포함), None이면 전부 허용
        returns 출력 (…, S, Dv)와 가중치 (…, S, L), 자료형(dtype)과 장치는 쿼리와 같음

    마스크는 두 종류입니다.
        bool    True는 torch.nn.functional에서처럼 *참조해도 됨*을 뜻합니다.
                (torch.nn.MultiheadAttention에서는 뜻이 반대입니다. 둘을 혼동하는 것은 흔한
                실수입니다.)
        float   스케일링한 점수에 더합니다. -inf만 금지를 뜻하고, 유한한 값은 모두 편향입니다.
                마스크의 float 자료형(dtype)이 다르면 먼저 쿼리의 자료형으로 바꿉니다.

    참조할 수 있는 키가 하나도 없는 쿼리의 출력과 가중치는 0이어야 하고, 그래디언트도 유한해야
    합니다. (-inf만 있는 행의 소프트맥스는 NaN이므로, 그런 행은 따로 처리하세요.)

    인자는 수정하지 않습니다. 입력이 반정밀도이면 결과도 반정밀도입니다. -1e9는 float16으로
    표현할 수 없지만 -inf는 표현할 수 있습니다.

    예: 쿼리와 첫 번째 키는 둘 다 첫 번째 축 방향입니다. 점수는 2와 0, √4로 나누면 1과 0이고, 그
    소프트맥스는 0.7311과 0.2689입니다.

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
    """학습할 수 있는 행렬이 세 개 있는 셀프 어텐션입니다.

    지금까지는 토큰의 질문과 이름표와 내용이 모두 같은 벡터였습니다. 이렇게 하면 어느 토큰이 묻든
    크기가 큰 벡터의 점수가 높아지기 쉽고, 토큰 i와 j가 서로에게 주는 점수가 항상 같습니다.
    그래서 행렬 세 개로 토큰마다 서로 다른 벡터 세 개를 만듭니다(Vaswani et al., 2017, 3.2.2절,
    헤드가 하나일 때).

        Q = X W_q      K = X W_k      V = X W_v
        context = softmax(Q Kᵀ / √d_out) V

    학습을 하면 유용한 어텐션을 만드는 행렬을 찾게 됩니다. 여기서는 무작위 값으로 시작합니다.

    인자
        d_in   입력 토큰의 차원
        d_out  쿼리, 키, 값, 출력의 차원

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

        작성할 부분: 무작위 값을 가진 파라미터(`torch.rand`). 일반 텐서는 학습되지도, 저장되지도,
        다른 장치로 옮겨지지도 않습니다. 그래서 `nn.Parameter`를 씁니다.
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
    """같은 어텐션이고, 세 행렬을 nn.Linear 층으로 만듭니다.

    nn.Linear(d_in, d_out)은 행렬을 쓰기 좋게 감싼 층입니다. 적당한 크기의 초기값에서 시작하고,
    원하면 편향도 둘 수 있습니다. 다만 누구나 한 번은 놀라는 점이 있습니다. 가중치가 거꾸로
    (d_out, d_in)으로 저장되어 있고, 실제로 계산하는 것은 다음과 같습니다.

        linear(x) = x Wᵀ + b

    인자
        d_in, d_out  앞과 같음
        qkv_bias     세 선형 층에 편향을 둘지 여부

    채점기가 찾는 이름: `W_query`, `W_key`, `W_value`. 각각 nn.Linear입니다.

    예:

        >>> attention = SelfAttentionV2(d_in=3, d_out=2)
        >>> attention.W_query.weight.shape
        torch.Size([2, 3])
        >>> attention(torch.randn(4, 6, 3)).shape
        torch.Size([4, 6, 2])
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        """선형 층 세 개를 만듭니다.

        작성할 부분: 선형 층 세 개.
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
    """SelfAttentionV1이 SelfAttentionV2와 같은 결과를 계산하게 합니다.

    두 클래스는 같은 함수를 두 가지로 쓴 것이고, 이 연습문제가 그 증명입니다. 같은 가중치를
    넣으면 같은 문맥 벡터가 나옵니다. 한 형식의 가중치를 다른 형식으로 옮기는 것은 흔한 일입니다.
    공개된 체크포인트를 불러올 때마다 하게 됩니다.

    `v1`은 제자리에서(in-place) 바뀌고, `v2`는 그대로이며, 그 뒤로 둘은 메모리를 공유하지
    않습니다. 하나를 학습해도 다른 하나는 달라지지 않습니다. `v1`의 파라미터는 여전히 같은 이름의
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
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 채점하지 않습니다.
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
