"""과제 5: 디코더와 빠른 어텐션

인코더는 입력을 읽고, 디코더는 텍스트를 생성합니다. 토큰을 하나씩 생성하면서 그때마다 지금까지
생성한 토큰 전부를 참조하고, 번역처럼 입력이 있는 경우에는 인코더의 출력도 참조합니다. 이
과제에서는 두 가지 질문을 다룹니다.

*토큰은 어디에 있는가?* 어텐션은 입력을 시퀀스가 아니라 집합으로 봅니다. 키와 값을 함께 뒤섞어도
출력은 달라지지 않습니다. 그래서 위치 정보를 벡터에 넣어 주어야 합니다. 토큰마다 위치 패턴을
더하거나(2017), 쿼리와 키를 회전합니다(2021). 이 과제에서는 둘 다 구현합니다.

*무엇을 두 번 계산하는가?* 1000번째 토큰을 생성할 때 디코더에는 앞선 999개 토큰의 키와 값이
필요한데, 그것들은 달라지지 않습니다. 그러니 캐시에 저장해 둡니다. 또 가중치 행렬 전체를 한꺼번에
메모리에 둘 필요도 없습니다. 소프트맥스는 블록 단위로 나누어 계산할 수 있고, 그러면 메모리가
길이의 제곱으로 늘어나지 않습니다. 이것이 FlashAttention의 핵심이고, 열 줄이면 구현할 수
있습니다.

모양을 나타내는 글자: B 배치, H 헤드, Dh 헤드 차원, D 모델 차원, T 토큰. 쿼리와 키가 같은 토큰이
아닐 때는 쿼리가 S개, 키가 L개입니다. …는 임의의 앞쪽 축입니다.

디코더는 과제 3에서 작성한 어텐션들로 만듭니다. 그 코드의 실수는 과제 3에서 감점되고, 여기서 다시
감점되지는 않습니다.

torch에 들어 있는 어텐션과 트랜스포머 층은 사용할 수 없습니다. `F.scaled_dot_product_attention`도
`nn.MultiheadAttention`도, `nn.TransformerDecoderLayer`도 안 됩니다.
"""

from collections.abc import Sequence

import torch
from a3_multi_head import CrossAttention, PackedMultiHeadAttention
from torch import nn


def sinusoidal_positions(T: int, dim: int) -> torch.Tensor:
    """위치마다 사인과 코사인으로 만든 벡터를 하나씩 반환합니다.

    "Attention Is All You Need"(Vaswani et al., 2017)의 3.5절이고, 위치는 p = 0, …, T - 1, 열의
    쌍은 i = 0, …, dim/2 - 1입니다.

        table[p, 2i]     = sin(p / 10000^(2i / dim))
        table[p, 2i + 1] = cos(p / 10000^(2i / dim))

    바늘이 dim/2개인 시계를 떠올려 봅시다. 첫 번째 바늘은 토큰마다 1라디안씩 돌고, 그다음
    바늘일수록 더 천천히 돕니다. 차원이 큰 표에서는 마지막 바늘이 한 바퀴 도는 데 60000토큰쯤
    걸립니다. 빠른 바늘은 이웃한 위치를, 느린 바늘은 처음과 끝을 구별해 줍니다. 그리고 k토큰만큼
    나아가면 어디에서 시작하든 바늘마다 같은 각도만큼 돕니다. 그래서 어텐션은 "세 토큰 앞"을 보는
    법을 학습할 수 있습니다.

    실수하기 쉬운 부분이 두 가지 있습니다. 지수는 2i를 따라가므로 0부터 *거의* 1까지 가고, 사인과
    코사인은 열마다 번갈아 나옵니다. (사인을 모두 앞에 놓는 코드도 있고 똑같이 잘 동작하지만,
    그것은 다른 표입니다.)

    모양(shape)
        T        위치의 수, 적어도 1
        dim      표의 차원(짝수). 홀수이면 그 수가 메시지에 들어 있는 ValueError를 일으킴
        returns  (T, dim), torch의 기본 자료형(dtype)

    예: 차원이 얼마이든 위치 0은 0, 1, 0, 1, …입니다.

        >>> sinusoidal_positions(3, 4)
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.0100,  0.9999],
                [ 0.9093, -0.4161,  0.0200,  0.9998]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("sinusoidal_positions: replace this line with your solution")


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0) -> torch.Tensor:
    """쿼리나 키를, 각 토큰의 위치에 해당하는 각도만큼 회전해 반환합니다.

    "RoFormer: Enhanced Transformer with Rotary Position Embedding"(Su et al., 2021) 3.2절입니다.
    토큰에는 아무것도 더하지 않습니다. 그 대신 이웃한 특성들을 평면 위의 점 (x_0, x_1),
    (x_2, x_3), …로 보고, Dh/2개의 점 가운데 i번째를 다음 각도만큼 회전합니다.

        angle_i = position · base^(-2i / Dh)
        (a, b)  →  (a · cos - b · sin,  a · sin + b · cos)

    왜 이렇게 하면 될까요? 위치 m의 쿼리와 위치 n의 키를 둘 다 회전하면 내적은 두 각도의 차이에만
    따라 달라지고, 그 차이는 m - n으로 정해집니다. 그래서 점수에는 두 토큰 사이의 거리만 반영되고
    텍스트가 어디에서 시작했는지는 반영되지 않습니다. 헤드로 나눈 뒤의 쿼리와 키에 적용하고,
    값에는 적용하지 않습니다. 값은 위치가 아니라 내용을 나타내기 때문입니다.

    두 가지 방식이 쓰이고 있고, 공개된 가중치는 그중 하나에만 맞습니다. 여기서는 논문에서처럼
    *이웃한* 두 특성 (2i, 2i + 1)이 한 쌍입니다. 특성 i를 특성 i + Dh/2와 짝짓는 방식도 있습니다.
    한쪽의 쌍과 다른 쪽의 주파수를 섞어 쓰면 점수가 더 이상 m - n에만 따라 정해지지 않습니다.

    모양(shape)
        x          (B, H, T, Dh), Dh는 짝수
        positions  (T,), 임의의 정수: 이어서 생성하는 디코더의 위치는 0에서 시작하지 않음
        returns    (B, H, T, Dh), 자료형(dtype)과 장치는 x와 같음

    각도는 x의 자료형(dtype)이 무엇이든 float32 이상의 정밀도로 계산하세요. bfloat16으로는
    256보다 큰 정수를 정확히 나타낼 수 없습니다. `x`와 `positions`는 수정하지 않습니다.

    예: 토큰 하나, 헤드 하나, 점 둘. 위치 1에서 첫 번째 점은 1라디안, 두 번째 점은 그 100분의
    1만큼 회전합니다.

        >>> x = torch.tensor([1.0, 0.0, 1.0, 0.0]).reshape(1, 1, 1, 4)
        >>> apply_rope(x, torch.tensor([1])).flatten()
        tensor([0.5403, 0.8415, 0.9999, 0.0100])
        >>> apply_rope(x, torch.tensor([0])).flatten()
        tensor([1., 0., 1., 0.])

    작성할 부분: 전체.
    """
    raise NotImplementedError("apply_rope: replace this line with your solution")


class FeedForward(nn.Module):
    """과제 4의 MLP이고, 이미 완성되어 있습니다. 토큰마다 따로 차원을 늘리고, 비선형 함수를
    적용한 뒤, 다시 줄입니다."""

    def __init__(self, emb_size: int, expansion: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D) → (…, D)."""
        wide = self.dropout(self.activation(self.fc1(x)))  # … expansion·D
        result: torch.Tensor = self.dropout(self.fc2(wide))  # … D
        return result


class DecoderBlock(nn.Module):
    """디코더의 층 하나입니다. 생성한 텍스트에 대한 셀프 어텐션, 메모리에 대한 크로스 어텐션, MLP로
    이루어집니다.

    "Attention Is All You Need" 그림 1의 오른쪽 절반이고, 과제 4의 인코더처럼 LayerNorm이 앞에
    있습니다(이유는 Xiong et al., "On Layer Normalization in the Transformer Architecture",
    2020에 나옵니다).

        x = x + self_attention(norm1(x))             코잘: 어떤 토큰도 뒤의 토큰을 보지 못함
        x = x + cross_attention(norm2(x), memory)    쿼리는 x에서, 키와 값은 memory에서
        x = x + mlp(norm3(x))

    인코더와 디코더가 각각 무엇을 보는지 생각해 봅시다. 메모리를 만든 인코더는 입력 전체를
    한꺼번에 보았습니다. 디코더도 어느 위치에서든 메모리 전체를 봅니다. 디코더가 볼 수 없는 것은
    *자기* 텍스트의 나머지, 곧 앞으로 생성할 토큰들뿐입니다.

    인자
        emb_size   D, x와 memory의 차원
        num_heads  두 어텐션의 H. D의 약수여야 함
        expansion  mlp의 은닉 차원은 expansion · D
        dropout    셀프 어텐션의 가중치와 mlp 안에 적용하는 드롭아웃의 확률. 각 분기의 출력에
                   드롭아웃을 추가해도 됨

    채점기가 찾는 이름: `norm1`, `self_attention`, `norm2`, `cross_attention`, `norm3`, `mlp`.
    어텐션들은 과제 3에서 만든 여러분의 것이고 위에서 불러왔습니다(이 파일에 직접 쓴 클래스도
    환영합니다). mlp는 위에 완성되어 있습니다.

    예: 첫 번째 토큰의 출력은 두 번째 토큰과 무관하고, 메모리에 따라서는 달라집니다.

        >>> block = DecoderBlock(6, num_heads=2)
        >>> x, memory = torch.randn(1, 2, 6), torch.randn(1, 4, 6)
        >>> output = block(x, memory)
        >>> output.shape
        torch.Size([1, 2, 6])
        >>> torch.allclose(block(x[:, :1], memory), output[:, :1], atol=1e-6)
        True
        >>> torch.allclose(block(x, memory + 1.0), output, atol=1e-6)
        False
    """

    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        """LayerNorm 세 개, 어텐션 두 개, mlp를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError("DecoderBlock.__init__: replace this line with your solution")

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """층 하나를 지난 토큰들을 반환합니다.

        모양(shape)
            x            (B, T, D), 지금까지 생성한 텍스트
            memory       (B, L, D), 인코더의 출력. 정규화하지 않고 그대로 사용: 이 블록의
                         LayerNorm은 x에만 적용
            memory_mask  (B, L) bool, True = 참조해도 됨: False는 인코더 입력의 패딩
            returns      (B, T, D), 자료형(dtype)은 x와 같음

        메모리의 마스크는 삼각형과 상관이 없습니다. 둘은 서로 다른 어텐션에 쓰입니다. 인자는
        수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("DecoderBlock.forward: replace this line with your solution")


class Decoder(nn.Module):
    """토큰 ID 시퀀스를 받아 다음 토큰의 로짓을 계산합니다.

        numbers (B, T) → embedding + positions → blocks → norm → output (B, T, vocabulary)

    i번째 위치의 로짓은 토큰 0부터 i까지와 메모리를 보고 토큰 i + 1을 예측한 것입니다. 그래서
    텍스트를 한 번 통과시키면 모든 위치를 한꺼번에 학습합니다.

    인자
        depth       블록의 수, 블록마다 가중치가 따로 있음
        emb_size    D, 짝수
        num_heads   H
        vocab_size  서로 다른 토큰의 수

    채점기가 찾는 이름: `embedding`(nn.Embedding), `blocks`(DecoderBlock의 nn.ModuleList,
    expansion은 4, 드롭아웃 없음), `norm`(마지막 블록 뒤의 LayerNorm), `output`(편향이 있는
    nn.Linear). 위치는 `sinusoidal_positions`의 것이고, 임베딩에 더하며, 파라미터가 아닙니다.
    텍스트는 아무리 길어도 됩니다. (논문에서는 먼저 임베딩에 √D를 곱합니다. 여기서는 곱하지
    않습니다.)

    예: 토큰이 열 종류인 어휘입니다.

        >>> decoder = Decoder(depth=2, emb_size=6, num_heads=3, vocab_size=10)
        >>> decoder(torch.tensor([[1, 5, 5, 7]]), torch.randn(1, 3, 6)).shape
        torch.Size([1, 4, 10])
    """

    def __init__(self, depth: int, emb_size: int, num_heads: int, vocab_size: int) -> None:
        """모든 구성 요소를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError("Decoder.__init__: replace this line with your solution")

    def forward(
        self, tokens: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """자리마다 다음 토큰의 로짓을 반환합니다.

        모양(shape)
            tokens       (B, T), 0부터 vocab_size - 1까지의 정수
            memory       (B, L, D)
            memory_mask  (B, L) bool, True = 참조해도 됨, 모든 블록에 적용
            returns      (B, T, vocab_size), 로짓(소프트맥스 이전), 자료형(dtype)은 가중치와 같음

        작성할 부분: 전체.
        """
        raise NotImplementedError("Decoder.forward: replace this line with your solution")


class KVCacheAttention(nn.Module):
    """지금까지 본 토큰들의 키와 값을 저장해 두는 코잘 멀티 헤드 어텐션입니다.

    디코더는 토큰을 하나씩 생성하고, 새 토큰은 앞의 모든 토큰을 참조합니다. 그때마다 텍스트
    전체를 층에 통과시키면 토큰 T개를 생성하는 데 토큰이 모두 1 + 2 + … + T번 층을 통과합니다.
    그런데 무엇이 달라지는지 살펴보면, 토큰은 자기 앞의 토큰만 보므로 이전 토큰들의 키와 값은
    그대로입니다. 이전 출력도 다시 계산할 필요가 없습니다. 그러니 키와 값을 저장해 두고 새 토큰만
    통과시킵니다.

        지금까지 본 토큰        k_0 k_1 k_2 k_3        이전 호출에서 저장해 둔 것
        들어오는 토큰                           k_4 k_5
        q_4가 참조하는 것       k_0 k_1 k_2 k_3 k_4
        q_5가 참조하는 것       k_0 k_1 k_2 k_3 k_4 k_5

    대신 메모리가 필요하고, 긴 대화의 비용이 큰 이유가 여기에 있습니다. Shazeer("Fast Transformer
    Decoding: One Write-Head is All You Need", 2019)가 이 비용을 계산했습니다.

    인자
        emb_size   D, 입력 토큰과 출력의 차원
        num_heads  H. D의 약수여야 함

    채점기가 찾는 이름: `W_query`, `W_key`, `W_value`, `out_proj`. 모두 편향이 있는
    nn.Linear입니다. 헤드를 나누고 스케일링하고 합치는 방법은 과제 3과 같습니다. 위치도
    드롭아웃도 없습니다.

    캐시는 인스턴스 하나, 텍스트 하나에 속합니다. 파라미터도 버퍼도 아니고, state_dict에도
    들어가지 않습니다.

    예: 한 번에 하든 둘로 나누어 하든 출력은 같습니다.

        >>> attention = KVCacheAttention(6, num_heads=2)
        >>> tokens = torch.randn(1, 5, 6)
        >>> whole = attention.prefill(tokens)
        >>> start = attention.prefill(tokens[:, :3])
        >>> rest = attention.step(tokens[:, 3:])
        >>> torch.allclose(torch.cat([start, rest], dim=1), whole, atol=1e-6)
        True
    """

    keys: torch.Tensor | None
    values: torch.Tensor | None

    def __init__(self, emb_size: int, num_heads: int) -> None:
        """네 선형 변환을 만들고, 캐시를 빈 상태로 둡니다.

        num_heads가 emb_size의 약수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를
        일으킵니다.

        작성할 부분: 그 검사와, 메서드들에 필요한 것.
        """
        super().__init__()
        self.W_query = nn.Linear(emb_size, emb_size)
        self.W_key = nn.Linear(emb_size, emb_size)
        self.W_value = nn.Linear(emb_size, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)
        raise NotImplementedError("KVCacheAttention.__init__: replace this line with your solution")

    def prefill(self, x: torch.Tensor) -> torch.Tensor:
        """저장해 둔 것을 비우고, 텍스트의 첫 부분을 처리해 그 출력을 반환합니다.

        모양(shape)
            x        (B, T, D), T >= 1. B는 이전 호출과 달라도 됨
            returns  (B, T, D), 코잘: 출력 i는 토큰 0부터 i까지만 반영. 자료형(dtype)은 x와 같음

        이 메서드는 학습에 쓰이므로 그래디언트가 전달되어야 합니다. `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("KVCacheAttention.prefill: replace this line with your solution")

    def step(self, x: torch.Tensor) -> torch.Tensor:
        """텍스트의 다음 토큰들을 처리해 그 출력을 반환합니다. 언제나 `prefill` 다음에만 호출합니다.

        모양(shape)
            x        (B, t, D), t >= 1: 토큰 하나 또는 여러 개
            returns  (B, t, D): 텍스트 전체를 `prefill`에 넣었을 때 이 토큰 t개에 대해 나오는
                     출력과 같음

        여러 토큰을 한 번에 넣을 때는 그 안에서도 어떤 토큰이 뒤의 토큰을 볼 수 없습니다. 그러면
        마스크는 더 이상 정사각형이 아닙니다. 쿼리는 토큰 L개 가운데 *마지막* t개이므로, 쿼리 i는
        키 j <= i + L - t를 참조할 수 있습니다. 삼각형을 왼쪽 위에 맞추면 첫 번째 새 토큰이 토큰
        0만 보게 됩니다.

        같은 것을 두 번 계산하지 않습니다. 이전 토큰들의 쿼리, 점수, 선형 변환은 더 이상 필요하지
        않으므로 다시 계산하지 않습니다. 이 메서드에서는 그래디언트가 필요 없습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("KVCacheAttention.step: replace this line with your solution")


def sliding_window_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int
) -> torch.Tensor:
    """각 토큰이 자기 자신과 앞의 `window` - 1개 토큰만 참조하는 어텐션을 계산합니다.

    비용을 제한하는 또 다른 방법은 일정한 거리까지만 참조하는 것입니다. 더 멀리 있는 토큰의
    정보도 사라지지 않습니다. 한 층에서 참조한 토큰은 아래 층에서 이미 그 앞의 토큰들을
    참조했으므로, 층이 n개면 토큰 n · window개쯤이 출력에 영향을 줄 수 있습니다. 디코더 Mistral
    7B(Jiang et al., 2023)가 이런 방식으로 토큰 4096개를 참조합니다. 인코더
    Longformer(Beltagy et al., 2020)의 윈도우는 양쪽을 봅니다. 그리고 캐시도 더 커지지 않습니다.

              key 0   1   2   3   4
        query 0   ✓   ·   ·   ·   ·        window = 3
        query 1   ✓   ✓   ·   ·   ·
        query 2   ✓   ✓   ✓   ·   ·        자기 자신과 그 앞의 두 개:
        query 3   ·   ✓   ✓   ✓   ·        i - window < j <= i
        query 4   ·   ·   ✓   ✓   ✓

    모양(shape)
        query    (…, T, Dh)
        key      (…, T, Dh)
        value    (…, T, Dv)
        window   적어도 1, T보다 커도 됨
        returns  (…, T, Dv), dtype은 query와 같음: 허용된 키에 대한 softmax(Q Kᵀ / √Dh) V

    window가 1이면 모든 토큰이 자기 자신만 보고, T 이상이면 일반적인 코잘 어텐션과 같습니다.
    인자는 수정하지 않습니다. T × T 점수 전체에 마스크를 적용해도 됩니다. 여기서 확인하는 것은
    결과이지 절약한 메모리가 아닙니다.

    예: 점수가 모두 같으므로 각 출력은 참조할 수 있는 값들의 평균입니다.

        >>> alike, value = torch.zeros(4, 2), torch.tensor([[1.0], [3.0], [5.0], [7.0]])
        >>> sliding_window_attention(alike, alike, value, window=2).flatten()
        tensor([1., 2., 4., 6.])

    작성할 부분: 전체.
    """
    raise NotImplementedError("sliding_window_attention: replace this line with your solution")


def online_softmax(chunks: Sequence[torch.Tensor]) -> torch.Tensor:
    """점수가 청크로 나뉘어 들어올 때, 한 번에 청크 하나씩 처리하며 소프트맥스를 계산합니다.

    소프트맥스를 계산하려면 점수가 한꺼번에 다 필요해 보입니다. 먼저 가장 큰 점수를 빼고, 그다음
    합으로 나누어야 하기 때문입니다. 그런데 Milakov와 Gimelshein("Online normalizer calculation
    for softmax", 2018)은 둘 다 차례로 갱신할 수 있음을 보였습니다. 행마다 지금까지 가장 큰 점수
    m과, 그 m을 기준으로 계산한 지금까지의 합 l을 저장해 둡니다. 청크 c가 들어오면 다음과 같이
    갱신합니다.

        m_new = max(m, max_j c_j)
        l_new = l · exp(m - m_new) + Σ_j exp(c_j - m_new)

    핵심은 첫 번째 인수입니다. 이전 합은 이전 최댓값을 기준으로 계산한 것이므로, 최댓값이 커지면
    꼭 그만큼 줄여야 합니다. 마지막에 각각의 비율은 exp(score - m) / l입니다.

    모양(shape)
        chunks   텐서 (…, n_i)가 적어도 하나 든 리스트나 튜플, n_i >= 1. 길이는 서로 달라도 됨
        returns  (…, Σ n_i), 청크 순서대로 놓인 비율, 자료형(dtype)은 청크와 같음

    점수가 -inf이면 비율은 0이고, 전부 -inf인 행은 모두 0이 됩니다. 첫 청크에 주의하세요.
    아무것도 처리하기 전에는 m이 -inf이고, -inf - (-inf)는 NaN입니다. 청크들은 수정하지 않습니다.

    예: 가장 큰 점수가 마지막에 오므로 합의 기준이 두 번 바뀝니다. 1 → 1 + e^-1 → …

        >>> online_softmax([torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([3.0])])
        tensor([0.0900, 0.2447, 0.6652])
        >>> online_softmax([torch.tensor([-torch.inf]), torch.tensor([1000.0, 1000.0])])
        tensor([0.0000, 0.5000, 0.5000])

    작성할 부분: 전체. m과 l을 구하려고 청크들을 한 번 돌고, 그다음 비율을 구합니다.
    """
    raise NotImplementedError("online_softmax: replace this line with your solution")


def chunked_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_size: int,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """모든 쿼리에서 모든 키로, 한 번에 키 한 블록씩 어텐션을 계산하고 출력을 반환합니다.

    어텐션의 가중치는 (S, L) 행렬입니다. 토큰이 100000개면 텍스트 하나의 헤드 하나만으로도
    float32로 40 GB입니다. 그런데 필요한 것은 weights @ value뿐이므로 가중치를 저장할 이유가
    없습니다. 온라인 소프트맥스의 m, l과 함께 지금까지의 값의 가중합 o를 저장하고, l과 똑같이
    갱신합니다. 점수가 s이고 값이 v인 블록에 대해서는 다음과 같이 합니다.

        m_new = max(m, max_j s_j)
        l_new = l · exp(m - m_new) + Σ_j exp(s_j - m_new)
        o_new = o · exp(m - m_new) + Σ_j exp(s_j - m_new) v_j

    그리고 마지막에 output = o / l입니다. 근사가 아니라 정확한 값입니다. Rabe와 Staats가 2021년에
    이 방법을 제안했고("Self-attention Does Not Need O(n²) Memory"),
    FlashAttention(Dao et al., 2022)이 이를 발전시켜 오늘날 대부분의 큰 모델에서 쓰입니다.

    모양(shape)
        query       (…, S, Dh)
        key         (…, L, Dh)
        value       (…, L, Dv)
        block_size  한 번에 처리하는 키의 수, 적어도 1. L의 약수가 아니어도 되고 L보다 커도 됨
        mask        bool, True = 참조해도 됨, (…, S, L)에 브로드캐스트됨(길이 1인 축 포함)
        returns     (…, S, Dv), 자료형(dtype)과 장치는 쿼리와 같음

    결과는 블록의 크기와 상관없이 과제 1의 softmax(Q Kᵀ / √Dh) V와 같고, 그래디언트도 같습니다.
    쿼리가 아무것도 볼 수 없는 블록이 결과를 망가뜨려서는 안 됩니다. 참조할 수 있는 키가 하나도
    없는 쿼리의 출력은 0이고 그래디언트는 유한합니다. 인자는 수정하지 않습니다.

    메모리를 확인할 때는 (S, L) 텐서가 메모리에 들어가지 않는 크기로, 그래디언트와 마스크 없이
    실행합니다.

    예: 키가 네 개이고, 가장 좋은 것이 마지막에 옵니다.

        >>> query, key = torch.tensor([[1.0]]), torch.tensor([[0.0], [1.0], [2.0], [3.0]])
        >>> value = torch.tensor([[10.0], [20.0], [30.0], [40.0]])
        >>> chunked_attention(query, key, value, block_size=3)
        tensor([[34.9265]])
        >>> chunked_attention(query, key, value, block_size=1)
        tensor([[34.9265]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("chunked_attention: replace this line with your solution")


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 채점하지 않습니다.
if __name__ == "__main__":
    # sinusoidal_positions
    print(sinusoidal_positions(3, 4))
    # tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
    #         [ 0.8415,  0.5403,  0.0100,  0.9999],
    #         [ 0.9093, -0.4161,  0.0200,  0.9998]])

    # apply_rope
    x = torch.tensor([1.0, 0.0, 1.0, 0.0]).reshape(1, 1, 1, 4)
    print(apply_rope(x, torch.tensor([1])).flatten())
    # tensor([0.5403, 0.8415, 0.9999, 0.0100])
    print(apply_rope(x, torch.tensor([0])).flatten())
    # tensor([1., 0., 1., 0.])

    # DecoderBlock
    block = DecoderBlock(6, num_heads=2)
    x, memory = torch.randn(1, 2, 6), torch.randn(1, 4, 6)
    output = block(x, memory)
    print(output.shape)
    # torch.Size([1, 2, 6])
    print(torch.allclose(block(x[:, :1], memory), output[:, :1], atol=1e-6))
    # True
    print(torch.allclose(block(x, memory + 1.0), output, atol=1e-6))
    # False

    # Decoder
    decoder = Decoder(depth=2, emb_size=6, num_heads=3, vocab_size=10)
    print(decoder(torch.tensor([[1, 5, 5, 7]]), torch.randn(1, 3, 6)).shape)
    # torch.Size([1, 4, 10])

    # KVCacheAttention
    attention = KVCacheAttention(6, num_heads=2)
    tokens = torch.randn(1, 5, 6)
    whole = attention.prefill(tokens)
    start = attention.prefill(tokens[:, :3])
    rest = attention.step(tokens[:, 3:])
    print(torch.allclose(torch.cat([start, rest], dim=1), whole, atol=1e-6))
    # True

    # sliding_window_attention
    alike, value = torch.zeros(4, 2), torch.tensor([[1.0], [3.0], [5.0], [7.0]])
    print(sliding_window_attention(alike, alike, value, window=2).flatten())
    # tensor([1., 2., 4., 6.])

    # online_softmax
    print(online_softmax([torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([3.0])]))
    # tensor([0.0900, 0.2447, 0.6652])
    print(online_softmax([torch.tensor([-torch.inf]), torch.tensor([1000.0, 1000.0])]))
    # tensor([0.0000, 0.5000, 0.5000])

    # chunked_attention
    query, key = torch.tensor([[1.0]]), torch.tensor([[0.0], [1.0], [2.0], [3.0]])
    value = torch.tensor([[10.0], [20.0], [30.0], [40.0]])
    print(chunked_attention(query, key, value, block_size=3))
    # tensor([[34.9265]])
    print(chunked_attention(query, key, value, block_size=1))
    # tensor([[34.9265]])
