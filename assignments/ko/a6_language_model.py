"""과제 6: 글을 쓰는 모델

어텐션, 마스크, 헤드, 블록, 위치, 캐시까지 모두 만들었습니다. 이제 이것으로 글을 생성할
차례입니다. 언어 모델은 다음에 올 수 있는 모든 토큰에 점수를 줍니다. 하나를 골라 뒤에 붙이고 다시
묻습니다. 글을 생성하는 과정은 이것이 전부입니다.

고르는 일은 보기보다 간단하지 않습니다. 언제나 가장 좋은 토큰만 고르면 같은 말을 되풀이하고, 모든
토큰에서 뽑으면 가끔 엉뚱한 글이 나옵니다. 여러분은 먼저 그 사이를 조절하는 함수를 작성하고,
그다음 글을 생성하는 반복을 캐시 없이 한 번, 캐시와 함께 한 번 작성합니다. 그다음은 모델입니다.
과제 3과 5에서 하나씩 작성한 것을 모두 할 수 있는 어텐션과, 그것을 둘러싼 층을 작성합니다.
마지막으로 모델을 쓸모 있게 만드는 것, 곧 모든 학습이 되풀이하는 스텝을 작성합니다.

앞의 과제에서는 여러분의 `apply_rope`만 씁니다. 앞의 과제 파일을 모두 이 파일과 같은 폴더에
두세요. 과제 5가 그 파일들을 불러오기 때문입니다. `apply_rope`를 아직 작성하지 않았더라도 여기의
모든 것을 작성하고 채점받을 수 있습니다. 다만 노트북의 "지금까지 만든 것을 눈으로 보기" 아래에
있는 학습은 그다음에 할 수 있습니다.

torch에 들어 있는 어텐션과 트랜스포머 층은 사용할 수 없습니다. `F.scaled_dot_product_attention`도
`nn.MultiheadAttention`도, `nn.TransformerEncoderLayer`도 안 됩니다.

모양을 나타내는 글자: B 배치, T 토큰, D 모델 차원, H 쿼리 헤드, G 키 헤드, Dh 헤드 차원, V 어휘의
토큰 수. …는 임의의 앞쪽 축을 뜻합니다.
"""

import math
from collections.abc import Callable

import torch
from a5_decoder import apply_rope
from torch import nn

Tensors = Callable[[torch.Tensor], torch.Tensor]


def sampling_probabilities(
    logits: torch.Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> torch.Tensor:
    """토큰마다 다음 토큰으로 뽑힐 확률을 반환합니다.

    다음 세 가지를 이 순서로 적용합니다.

    1. temperature: 로짓을 온도로 나눈 다음 소프트맥스를 구합니다. 1보다 작으면 좋은 토큰의
       확률이 더 커지고, 1보다 크면 모두 비슷해집니다. 0은 그 극한으로, 가장 큰 로짓을 고른다는
       뜻입니다. 가장 큰 로짓의 확률이 1이고, 똑같이 큰 것이 여럿이면 첫 번째가 1입니다.
    2. top_k: 확률이 가장 높은 토큰 k개만 남기고 나머지는 0으로 만든 다음, 남은 확률의 합으로
       나눕니다. None이거나 k가 V보다 크면 모두 남깁니다.
    3. top_p (Holtzman et al., "The Curious Case of Neural Text Degeneration", 2020): *top_k
       다음의* 확률을 높은 것부터 더해 합이 p 이상이 되는 가장 적은 수의 토큰만 남기고, 나머지는
       0으로 만든 다음, 다시 합으로 나눕니다. 따라서 경계를 넘는 토큰도 남고, 확률이 가장 높은
       토큰은 언제나 남습니다. p가 1이면 모두 남깁니다.

    즉 온도만 적용하면 다음과 같습니다. 여기에서는 온도를 t로 씁니다.

        p_i = exp(logit_i / t) / Σ_j exp(logit_j / t)

    확률이 0.5, 0.3, 0.2일 때 p가 0.6이면 두 토큰이 남습니다. 0.5로는 모자라고 0.8이면
    충분합니다.

    모양(shape)
        logits       (…, V), 임의의 실수. -inf인 토큰의 확률은 0 (행마다 하나는 유한함)
        temperature  0 이상
        top_k        None 또는 1 이상
        top_p        0보다 크고 1 이하
        returns      (…, V), 행마다 합이 1, 자료형(dtype)은 로짓과 같음

    그 밖의 temperature, top_k, top_p는 그 수가 메시지에 들어 있는 ValueError를 일으킵니다.
    top_k나 top_p의 경계에서 확률이 같은 두 토큰 가운데 어느 것이 남는지, 또는 둘 다 남는지는
    자유입니다. 로짓은 수정하지 않고, 반정밀도는 float32로 계산하며, 그래디언트는 요구하지
    않습니다.

    예:

        >>> logits = torch.tensor([0.5, 0.3, 0.2]).log()
        >>> sampling_probabilities(logits, top_k=2)
        tensor([0.6250, 0.3750, 0.0000])
        >>> sampling_probabilities(logits, top_p=0.6)
        tensor([0.6250, 0.3750, 0.0000])
        >>> sampling_probabilities(logits, temperature=0)
        tensor([1., 0., 0.])

    작성할 부분: 전체.
    """
    raise NotImplementedError("sampling_probabilities: replace this line with your solution")


def sample(
    logits: torch.Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """위의 확률에 따라 로짓의 행마다 토큰을 하나씩 뽑아 반환합니다.

    난수는 모두 `generator`로 뽑아야 합니다. None은 torch 자체의 generator를 뜻합니다. 그러면
    다른 곳에서 무엇을 뽑았든 시드가 같은 generator는 같은 텍스트를 다시 생성하고, 호출할 때마다
    지난 호출이 남긴 상태에서 이어서 뽑습니다. 행마다 따로 뽑습니다. `torch.multinomial`은 행마다
    주어진 확률에 따라 인덱스를 뽑는 함수입니다.

    모양(shape)
        logits   (…, V)
        returns  (…), int64, 0부터 V - 1까지. 마지막 축은 없음

    예: 시드가 같으면 같은 토큰이 나옵니다.

        >>> logits = torch.zeros(2, 3, 50)
        >>> one = sample(logits, generator=torch.Generator().manual_seed(7))
        >>> two = sample(logits, generator=torch.Generator().manual_seed(7))
        >>> one.shape, torch.equal(one, two)
        (torch.Size([2, 3]), True)

    작성할 부분: 전체.
    """
    raise NotImplementedError("sample: replace this line with your solution")


def generate(
    model: Tensors,
    tokens: torch.Tensor,
    choose: Tensors,
    context_length: int,
    end_token: int | None = None,
) -> torch.Tensor:
    """텍스트의 시작 부분에서부터 토큰을 하나씩 이어서 생성하고 텍스트 전체를 반환합니다.

    *마지막* 위치의 로짓이 다음에 올 토큰에 대한 것입니다. 토큰을 골라 뒤에 붙이고, 길어진
    텍스트에 모델을 다시 실행합니다. 이 과정을 되풀이하다가 다음 중 하나가 성립하면 멈춥니다.

    - 토큰이 context_length개가 됨. 모델에는 그 너머의 위치가 없습니다.
    - 배치의 모든 텍스트가 끝남.

    end_token이 *선택되면* 글이 끝나고, 그 토큰은 글에 남습니다. 배치의 글들은 서로 다른 때에
    끝나지만 배치는 직사각형입니다. 그래서 끝난 글은 무엇이 선택되든 그 뒤의 모든 자리에
    end_token이 들어갑니다. 주어진 시작 부분에 있는 end_token은 아무 의미가 없고, None이면 일찍
    끝나는 글이 없습니다.

    인자
        model           함수: 토큰 (B, T)를 받아 로짓 (B, T, V)를 반환함, 코잘
        tokens          (B, T) 정수, T >= 1: 텍스트의 시작 부분. 수정하지 않음
        choose          함수: 로짓 (B, V)를 받아 토큰 (B,)를 반환함. 새 자리마다 모든 행과 함께
                        한 번 호출함: `lambda logits: sample(logits, 0.8)`
        context_length  글의 최대 길이. T가 더 크면 두 수가 메시지에 모두 들어 있는 ValueError를
                        냄
        end_token       글을 끝내는 토큰 또는 None
        returns         (B, T + 새 토큰 수), 자료형(dtype)은 tokens와 같음

    여기서는 아무것도 학습하지 않습니다. 모델을 `torch.no_grad()` 안에서 실행하세요. 그러지
    않으면 학습에만 필요한 것이 메모리에 쌓입니다. 그리고 새 위치마다 한 번만 실행하세요.
    마지막으로 생성한 토큰 다음의 로짓은 필요하지 않습니다.

    예: 언제나 1씩 세는 모델.

        >>> def count_on(tokens):
        ...     return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
        >>> generate(count_on, torch.tensor([[1], [3]]), lambda x: x.argmax(-1), 6, end_token=0)
        tensor([[1, 2, 3, 4, 0],
                [3, 4, 0, 0, 0]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("generate: replace this line with your solution")


def generate_cached(
    prefill: Tensors,
    step: Tensors,
    tokens: torch.Tensor,
    choose: Tensors,
    context_length: int,
    end_token: int | None = None,
) -> torch.Tensor:
    """캐시가 있는 모델로 `generate`와 토큰 하나 다르지 않은 텍스트를 생성합니다.

    과제 5의 `KVCacheAttention`처럼 함수가 하나가 아니라 둘입니다.

    - prefill(tokens)은 시작 부분 전체 (B, T)를 받아 로짓 (B, T, V)를 반환합니다. 맨 처음에 한 번
      호출합니다.
    - step(tokens)은 새로운 것만, 여기서는 (B, 1)을 받아 그 로짓 (B, 1, V)를 반환합니다.

    선택된 토큰이 `step`을 거쳐야 다음 토큰을 고를 수 있습니다. 끝난 텍스트도 매번 함께 넣습니다.
    그래야 배치가 직사각형으로 유지됩니다.

    다른 인자와 결과와 규칙은 `generate`와 같습니다. 그래디언트 없이 실행하고, 모델을 필요
    이상으로 호출하지 않으며, 시작 부분이 이미 context_length개이면 한 번도 호출하지 않습니다.

    예:

        >>> def count_on(tokens):
        ...     return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
        >>> generate_cached(count_on, count_on, torch.tensor([[1]]), lambda x: x.argmax(-1), 3)
        tensor([[1, 2, 3]])

    작성할 부분: 전체.
    """
    raise NotImplementedError("generate_cached: replace this line with your solution")


class TextAttention(nn.Module):
    """언어 모델의 코잘 어텐션입니다. 회전 위치, 헤드 그룹, 캐시, 윈도우를 함께 씁니다.

    여러분이 하나씩 작성한 네 가지가 여기에 모입니다. 하나하나는 전과 같습니다.

    1. 위치: 쿼리와 키를 헤드로 나눈 뒤에 `apply_rope`로 회전합니다. 값은 회전하지 않습니다.
    2. 그룹: `GroupedQueryAttention`처럼 쿼리 헤드 H개가 키 헤드 G개와 값 헤드 G개를 나누어
       씁니다.
    3. 캐시: `KVCacheAttention`처럼 이전 토큰의 키와 값을 보관하고 다시 계산하지 않습니다.
    4. 윈도우: `sliding_window_attention`처럼 토큰은 자기 자신과 앞의 `window` - 1개 토큰을
       봅니다.

    쿼리 헤드 h와, 텍스트의 위치 i에 있는 토큰에 대해 쓰면 다음과 같습니다.

        head_h[i] = softmax(R_i q_h[i] · R_j k_g[j] / √Dh, over i - window < j <= i) v_g[j]
        g = ⌊h / (H / G)⌋, R_i는 위치 i만큼의 회전
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    위치는 텍스트 전체에서의 위치입니다. 새로 들어온 토큰은 앞서 들어온 모든 토큰의 뒤에
    있습니다. 캐시가 이미 버린 토큰도 함께 셉니다.

    인자
        emb_size      D, 토큰의 차원(입력과 출력이 같음)
        num_heads     H, 쿼리 헤드의 수. D의 약수여야 하고 Dh = D / H는 짝수
        num_kv_heads  G, 키 헤드의 수이자 값 헤드의 수. H의 약수여야 함
        window        토큰 하나가 볼 수 있는 토큰의 수(자기 자신 포함), 1 이상

    채점기가 찾는 이름(모두 편향이 있는 nn.Linear): D에서 D로 가는 `W_query`, D에서 G · Dh로 가고
    행이 (g d) 순서인 `W_key`와 `W_value`, D에서 D로 가는 `out_proj`.

    캐시는 인스턴스 하나, 텍스트 하나에 속합니다. 파라미터도 버퍼도 아닙니다.

    예: 한 번에 하든 둘로 나누어 하든 출력은 같습니다.

        >>> attention = TextAttention(16, num_heads=4, num_kv_heads=2, window=3)
        >>> tokens = torch.randn(1, 6, 16)
        >>> whole = attention.prefill(tokens)
        >>> start = attention.prefill(tokens[:, :4])
        >>> rest = attention.step(tokens[:, 4:])
        >>> torch.allclose(torch.cat([start, rest], dim=1), whole, atol=1e-6)
        True
    """

    keys: torch.Tensor | None
    values: torch.Tensor | None
    seen: int

    def __init__(self, emb_size: int, num_heads: int, num_kv_heads: int, window: int) -> None:
        """네 선형 변환을 만들고, 캐시를 빈 상태로 둡니다.

        num_heads가 emb_size의 약수가 아니거나 num_kv_heads가 num_heads의 약수가 아니면, 서로
        맞지 않는 두 수가 메시지에 들어 있는 ValueError를 일으킵니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("TextAttention.__init__: replace this line with your solution")

    def prefill(self, x: torch.Tensor) -> torch.Tensor:
        """저장해 둔 것을 비우고, 텍스트의 첫 부분을 처리해 그 출력을 반환합니다.

        모양(shape)
            x        (B, T, D), T >= 1. 윈도우보다 길 수도 있음. B는 이전 호출과 달라도 됨
            returns  (B, T, D), 자료형(dtype)은 x와 같음

        이 메서드는 학습에 쓰이므로 그래디언트가 전달되어야 합니다. `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("TextAttention.prefill: replace this line with your solution")

    def step(self, x: torch.Tensor) -> torch.Tensor:
        """텍스트의 다음 토큰들을 처리해 그 출력을 반환합니다. 언제나 `prefill` 다음에만 호출합니다.

        모양(shape)
            x        (B, t, D), t >= 1: 토큰 하나 또는 여러 개
            returns  (B, t, D): 텍스트 전체를 `prefill`에 넣었을 때 이 토큰 t개에 대해 나오는
                     출력과 같음

        뒤에 오는 어떤 토큰도 볼 수 없게 된 키는 보관하지 않아도 됩니다. 그래서 윈도우가 있으면
        캐시가 더 커지지 않습니다. 그런 키를 버릴지는 여러분이 정합니다. 버린다면, 캐시의 길이는
        더 이상 지금까지 본 토큰의 수가 아닙니다. 여기서는 그래디언트가 필요 없습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("TextAttention.step: replace this line with your solution")


class FeedForward(nn.Module):
    """과제 4의 MLP이고, 이미 완성되어 있습니다. 토큰마다 따로 차원을 늘리고, 비선형 함수를
    적용한 뒤, 다시 줄입니다."""

    def __init__(self, emb_size: int, expansion: int = 4) -> None:
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D) → (…, D)."""
        result: torch.Tensor = self.fc2(self.activation(self.fc1(x)))
        return result


class LanguageModelBlock(nn.Module):
    """완성된 층 하나입니다. 여러분이 작성한 텍스트용 어텐션과 MLP가 각각 LayerNorm 뒤에
    있습니다."""

    def __init__(self, emb_size: int, num_heads: int, num_kv_heads: int, window: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = TextAttention(emb_size, num_heads, num_kv_heads, window)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size)

    def forward(self, x: torch.Tensor, start: bool) -> torch.Tensor:
        """(B, t, D) → (B, t, D). `start`는 텍스트가 여기서 시작되는지 이어지는지를 나타냅니다."""
        attend = self.attention.prefill if start else self.attention.step
        x = x + attend(self.norm1(x))
        mixed: torch.Tensor = x + self.mlp(self.norm2(x))
        return mixed


class LanguageModel(nn.Module):
    """메모리가 없는 디코더입니다. 지금까지의 토큰에서 다음 토큰의 로짓을 계산합니다.

        numbers (B, T) → embedding → blocks → norm → output (B, T, V)

    위치를 위해 더하는 것은 없습니다. 어텐션이 위치만큼 회전합니다. 그래서 길이가 정해진 위치
    표가 없고, 텍스트 길이에도 제한이 없습니다.

    인자
        vocab_size    V, 서로 다른 토큰의 수
        emb_size      D
        depth         블록의 수, 블록마다 가중치가 따로 있음
        num_heads     어텐션마다의 H
        num_kv_heads  어텐션마다의 G
        window        어텐션마다 볼 수 있는 토큰의 수

    채점기가 찾는 이름: `embedding`(nn.Embedding), `blocks`(LanguageModelBlock의 nn.ModuleList),
    `norm`(마지막 블록 뒤의 LayerNorm), `output`(편향이 있는 nn.Linear). 블록은 위에 완성되어
    있습니다. 여러분이 직접 쓴 클래스를 써도 됩니다.

    예: 고를 수 있는 토큰이 열 개이고, 자리마다 토큰 하나하나의 점수가 나옵니다.

        >>> model = LanguageModel(10, 16, depth=2, num_heads=4, num_kv_heads=2, window=3)
        >>> model(torch.tensor([[1, 5, 5, 7]])).shape
        torch.Size([1, 4, 10])
        >>> model.step(torch.tensor([[2]])).shape
        torch.Size([1, 1, 10])
    """

    def __init__(
        self,
        vocab_size: int,
        emb_size: int,
        depth: int,
        num_heads: int,
        num_kv_heads: int,
        window: int,
    ) -> None:
        """모든 구성 요소를 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError("LanguageModel.__init__: replace this line with your solution")

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(B, T) → 로짓 (B, T, V): 학습할 때 호출합니다. `prefill`과 같고, 완성되어 있습니다."""
        return self.prefill(tokens)

    def prefill(self, tokens: torch.Tensor) -> torch.Tensor:
        """텍스트를 시작하고, 자리마다 다음 토큰의 로짓을 반환합니다.

        모양(shape)
            tokens   (B, T), 0부터 V - 1까지의 정수
            returns  (B, T, V), 로짓(소프트맥스 이전), 자료형(dtype)은 가중치와 같음

        이전 텍스트는 모든 블록에서 지웁니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError("LanguageModel.prefill: replace this line with your solution")

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        """텍스트를 이어 가고, 새 토큰마다 그다음 로짓을 반환합니다.

        모양(shape)
            tokens   (B, t), t >= 1: 토큰 하나, 또는 여러 개
            returns  (B, t, V): 텍스트 전체를 `prefill`에 넣었을 때 이 t개 위치에서 나오는 로짓과
                     같음

        작성할 부분: 전체.
        """
        raise NotImplementedError("LanguageModel.step: replace this line with your solution")


def next_token_loss(model: Tensors, tokens: torch.Tensor) -> torch.Tensor:
    """다음 토큰 예측의 평균 손실을 반환합니다. 모델이 실제 다음 토큰을 얼마나 예상하지 못했는지를
    나타냅니다.

    토큰이 T개인 글에는 물음과 정답이 T - 1개 있습니다. 자리 0에는 토큰 1을, 자리 1에는 토큰 2를
    묻는 식입니다. 정답은 한 칸 옮긴 글 자체입니다. 마지막 토큰 다음에 무엇이 올지는 아무도
    모르므로 마지막 토큰은 묻지 않고, 첫 토큰은 정답이 되지 않습니다.

        loss = -1/N · Σ log p(tokens[b, i + 1] | tokens[b, 0], …, tokens[b, i])

    합은 배치의 정답 N개 모두에 대한 것이므로, 텍스트가 길든 짧든 정답 하나하나가 똑같은 비중을
    가집니다. 배치에서 가장 긴 텍스트보다 짧은 텍스트는 끝을 -1로 채웁니다. -1은 토큰이 아닙니다.
    정답으로 쓰지 않고 N에도 넣지 않으며, 모델에 입력할 수도 없습니다. 대신 아무 토큰이나
    넣으세요. 코잘 모델이므로 그 앞 위치의 출력에는 영향이 없습니다.

    인자
        model    함수: 토큰 (B, t)를 받아 로짓 (B, t, V)를 반환함, 코잘
        tokens   (B, T) 정수, 0부터 V - 1까지, 또는 토큰이 없다는 뜻의 -1. T >= 2이고 정답이 하나
                 이상 있음. 수정하지 않음
        returns  축이 없고 그래디언트가 있는 텐서. 로그는 자연로그

    `torch.nn.functional.cross_entropy`는 로짓 (…, V)를 두 축으로 받고, 세지 않을 정답을 알리는
    인자가 있습니다.

    예: 아무것도 모르는 모델과 고를 수 있는 토큰 여섯 개, log 6입니다.

        >>> def no_idea(tokens):
        ...     return torch.zeros(*tokens.shape, 6)
        >>> next_token_loss(no_idea, torch.tensor([[3, 1, 4, 1], [5, 2, -1, -1]]))
        tensor(1.7918)

    작성할 부분: 전체.
    """
    raise NotImplementedError("next_token_loss: replace this line with your solution")


def learning_rate(step: int, peak: float, warmup: int, steps: int) -> float:
    """주어진 번호의 스텝에서 쓸 학습률을 반환합니다. 워밍업 동안 커졌다가 코사인 반주기를 따라
    0까지 줄어듭니다.

    학습 초기에는 모델이 아는 것이 없고, 옵티마이저의 이동 평균도 그래디언트 몇 개로만 계산한
    값입니다. 이때 학습률이 크면 엉뚱한 방향으로 갑니다. 그래서 처음 `warmup`스텝 동안 학습률을
    일정하게 키워, 그 마지막 스텝에서 최댓값에 이르게 합니다. 그다음에는 코사인 반주기를 따라
    0까지 줄이며, 양 끝에서는 천천히 변합니다. 배울 것이 많을 때는 스텝을 크게, 자리를 잡을 때는
    작게 합니다.

        step < warmup            peak · (step + 1) / warmup
        warmup <= step < steps   peak · (1 + cos(π · (step - warmup) / (steps - warmup))) / 2
        steps <= step            0

    인자
        step     전체 학습에서 0부터 센 스텝의 번호
        peak     학습률의 최댓값
        warmup   워밍업의 스텝 수. 0은 워밍업이 없다는 뜻이고, `steps`보다 작음
        steps    워밍업을 포함한 전체 학습의 스텝 수
        returns  float

    예: 네 스텝 올라가고 네 스텝 내려갑니다. 첫 값은 0이 아닙니다. 0이면 헛된 스텝이 됩니다.

        >>> [round(learning_rate(step, 1.0, 4, 8), 3) for step in range(9)]
        [0.25, 0.5, 0.75, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]

    작성할 부분: 전체.
    """
    raise NotImplementedError("learning_rate: replace this line with your solution")


def training_step(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    tokens: torch.Tensor,
    rate: float,
    max_norm: float = 1.0,
) -> float:
    """배치 하나로 파라미터를 한 번 갱신하고, 갱신하기 전의 손실을 반환합니다.

    학습은 이 스텝을 되풀이하는 것이 전부입니다.

    1. 모델을 학습 모드로 바꿉니다. 그동안 누군가 평가 모드로 살펴봤을 수 있습니다.
    2. 배치의 손실 `next_token_loss`와 그 그래디언트를 구합니다. `backward`는 그래디언트를
       더하므로, 이전 스텝의 것을 먼저 비워야 합니다.
    3. 아래와 같이 그래디언트를 클리핑합니다.
    4. `rate`를 옵티마이저의 모든 그룹에서 학습률로 삼습니다. `optimiser.param_groups`는 dict의
       목록이고, 키는 "lr"입니다.
    5. 옵티마이저로 파라미터를 갱신합니다.

    클리핑할 때는 모델의 모든 파라미터의 그래디언트를 긴 벡터 g 하나로 생각하세요. max_norm보다
    길면 그 길이로 줄이고, 방향은 그대로 둡니다.

        g ← g · min(1, max_norm / ‖g‖)

    그러면 이상한 배치 하나 때문에 파라미터가 크게 튀지 않습니다. 길이는 파라미터마다가 아니라
    전체를 합쳐 한 번만 계산하며, 충분히 짧은 그래디언트는 그대로 둡니다.

    인자
        model      모듈: 토큰 (B, t)를 받아 로짓 (B, t, V)를 반환함
        optimiser  모델의 파라미터로 만든 `torch.optim`의 옵티마이저
        tokens     (B, T) 정수, 위와 같이 -1은 토큰이 없다는 뜻. 수정하지 않음
        rate       이 스텝의 학습률
        max_norm   그래디언트를 모두 합친 길이의 최댓값
        returns    스텝 전의 손실, 파이썬 float. 텐서라면 계산에 쓴 것이 모두 메모리에 남음

    고정된 파라미터처럼 그래디언트가 없는 파라미터는 길이에 넣지 않고 그대로 둡니다.
    `torch.nn.utils.clip_grad_norm_`을 써도 됩니다. 이 함수처럼 길이에 1e-6을 더할지는
    자유입니다.

    예: 현재 토큰만 보는 모델이 1씩 세는 법을 학습합니다.

        >>> model = nn.Embedding(4, 4)
        >>> _ = nn.init.zeros_(model.weight)
        >>> sgd = torch.optim.SGD(model.parameters(), lr=1.0)
        >>> text = torch.tensor([[0, 1, 2, 3]])
        >>> [round(training_step(model, sgd, text, rate=4.0), 2) for _ in range(3)]
        [1.39, 0.58, 0.31]

    작성할 부분: 전체.
    """
    raise NotImplementedError("training_step: replace this line with your solution")


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 채점하지 않습니다.
if __name__ == "__main__":
    # sampling_probabilities
    logits = torch.tensor([0.5, 0.3, 0.2]).log()
    print(sampling_probabilities(logits, top_k=2))
    # tensor([0.6250, 0.3750, 0.0000])
    print(sampling_probabilities(logits, top_p=0.6))
    # tensor([0.6250, 0.3750, 0.0000])
    print(sampling_probabilities(logits, temperature=0))
    # tensor([1., 0., 0.])

    # sample
    logits = torch.zeros(2, 3, 50)
    one = sample(logits, generator=torch.Generator().manual_seed(7))
    two = sample(logits, generator=torch.Generator().manual_seed(7))
    print((one.shape, torch.equal(one, two)))
    # (torch.Size([2, 3]), True)

    # generate
    def count_on(tokens):
        return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
    print(generate(count_on, torch.tensor([[1], [3]]), lambda x: x.argmax(-1), 6, end_token=0))
    # tensor([[1, 2, 3, 4, 0],
    #         [3, 4, 0, 0, 0]])

    # generate_cached
    def count_on(tokens):
        return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
    print(generate_cached(count_on, count_on, torch.tensor([[1]]), lambda x: x.argmax(-1), 3))
    # tensor([[1, 2, 3]])

    # TextAttention
    attention = TextAttention(16, num_heads=4, num_kv_heads=2, window=3)
    tokens = torch.randn(1, 6, 16)
    whole = attention.prefill(tokens)
    start = attention.prefill(tokens[:, :4])
    rest = attention.step(tokens[:, 4:])
    print(torch.allclose(torch.cat([start, rest], dim=1), whole, atol=1e-6))
    # True

    # LanguageModel
    model = LanguageModel(10, 16, depth=2, num_heads=4, num_kv_heads=2, window=3)
    print(model(torch.tensor([[1, 5, 5, 7]])).shape)
    # torch.Size([1, 4, 10])
    print(model.step(torch.tensor([[2]])).shape)
    # torch.Size([1, 1, 10])

    # next_token_loss
    def no_idea(tokens):
        return torch.zeros(*tokens.shape, 6)
    print(next_token_loss(no_idea, torch.tensor([[3, 1, 4, 1], [5, 2, -1, -1]])))
    # tensor(1.7918)

    # learning_rate
    print([round(learning_rate(step, 1.0, 4, 8), 3) for step in range(9)])
    # [0.25, 0.5, 0.75, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]

    # training_step
    model = nn.Embedding(4, 4)
    _ = nn.init.zeros_(model.weight)
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    text = torch.tensor([[0, 1, 2, 3]])
    print([round(training_step(model, sgd, text, rate=4.0), 2) for _ in range(3)])
    # [1.39, 0.58, 0.31]
