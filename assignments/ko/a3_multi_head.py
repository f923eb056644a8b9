"""과제 3: 멀티 헤드 어텐션

어텐션 헤드 하나는 합이 1인 가중치를 나누어 씁니다. 어떤 단어가 자기 주어*도* 보고 뒤의 쉼표*도*
보아야 한다면, 한쪽의 가중치가 커질수록 다른 쪽은 작아집니다. 그래서 여러 헤드가 각자의 쿼리와
키로 동시에 보게 하고, 그 결과를 마지막 선형 변환으로 결합합니다.

놀랍게도 추가 비용은 거의 없습니다. 차원에 헤드 수를 곱하는 것이 아니라, 차원을 헤드들이 나누어
갖습니다. 차원이 4인 헤드 셋에 필요한 선형 변환은 차원이 12인 헤드 하나와 같습니다. (늘어나는
것은 가중치뿐입니다. 헤드마다 T × T 행렬이 하나씩 있습니다.) 새로 익힐 것은 텐서의 축을 다루는
일뿐이고, 이 과제의 실수는 거의 모두 거기에서 나옵니다.

    토큰 하나, d_out = 12                             헤드 셋, Dh = 4
    [ q0 q1 q2 q3 | q4 q5 q6 q7 | q8 q9 q10 q11 ]  →  head 0: q0 q1 q2 q3
                                                      head 1: q4 q5 q6 q7
                                                      head 2: q8 q9 q10 q11

먼저 텐서의 축을 다루는 함수를 만들고, 그다음 헤드들을 단순하게 나란히 놓아 본 뒤, 실제 모델에서
쓰이는 어텐션 네 가지를 만듭니다. 텍스트 생성을 위한 삼각형 마스크가 있는 것(GPT), 선형 변환
하나로 쿼리·키·값을 모두 만드는 것(Vision Transformer), 다른 시퀀스를 참조하는 것(번역), 그리고
키가 쿼리보다 적은 것(오늘날 대부분의 큰 모델)입니다.

앞에서 작성한 코드는 `from a1_attention import ...`로 불러와 써도 되고, 과제 2의 클래스 하나는 이
과제의 출발점입니다. 그 코드의 실수는 그 과제에서 감점되고, 여기서 다시 감점되지는 않습니다.

torch에 들어 있는 어텐션은 사용할 수 없습니다. `F.scaled_dot_product_attention`도
`nn.MultiheadAttention`도 안 됩니다. (한 함수는 그런 모듈을 받지만 가중치를 읽을 뿐, 아무도
그것을 호출하지 않습니다.)

모양을 나타내는 글자: B 배치, T 토큰, H 헤드, Dh 헤드 차원, D 모델 차원(D = H · Dh). 차원이
도중에 바뀌는 곳에서는 d_in과 d_out. 쿼리와 키가 같은 토큰이 아닐 때는 쿼리 토큰이 S, 키 토큰이
L입니다.
"""

import torch
from a2_masking import CausalAttention
from torch import nn


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """각 토큰의 특성을 헤드별로 나누고, 헤드 축을 토큰 축 앞으로 옮겨 반환합니다.

    헤드 0은 모든 토큰의 처음 Dh = D / H개 특성을, 헤드 1은 그다음 Dh개를 가져가고, 나머지 헤드도
    같은 방식입니다.

        split[b, h, t, d] = x[b, t, h · Dh + d]

    왜 헤드를 앞으로 옮길까요? `@`와 소프트맥스는 마지막 두 축에 적용되고 그 앞의 축은 모두
    배치로 다루기 때문입니다. (B, H, T, Dh)이면 헤드 하나하나가 샘플처럼 되어, 헤드 하나를 위해
    작성한 코드를 모든 헤드에 쓸 수 있습니다.

    모양(shape)
        x          (B, T, D)
        num_heads  H. D의 약수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를 일으킴
        returns    (B, H, T, Dh), 자료형(dtype)과 장치는 x와 같음

    두 단계가 필요하고, 한 번에 할 수는 없습니다. 먼저 reshape으로 (B, T, H, Dh)로 바꿉니다.
    그러면 각 토큰의 행이 H개 조각으로 나뉘고 토큰은 제자리에 남습니다. 그다음 축을 맞바꿉니다.
    reshape으로 한 번에 (B, H, T, Dh)를 만들면 모양은 맞지만, 헤드 0이 처음 토큰들을 통째로
    가져가게 됩니다.

    예: 토큰 두 개로 된 문장 하나. 특성 네 개에 순서대로 번호를 매겼습니다.

        >>> x = torch.tensor([[[0, 1, 2, 3], [4, 5, 6, 7]]])
        >>> split_heads(x, num_heads=2).tolist()
        [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]

    작성할 부분: 전체. `x`는 수정하지 않습니다. 결과는 x와 메모리를 공유해도 됩니다.
    """
    raise NotImplementedError("split_heads: replace this line with your solution")


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """헤드들의 결과를 각 토큰의 행에 나란히 놓아 반환합니다.

    `split_heads`를 정확히 되돌립니다.

        merged[b, t, h · Dh + d] = x[b, h, t, d]

    모양(shape)
        x        (B, H, T, Dh)
        returns  (B, T, D)이고 D = H · Dh, 자료형(dtype)과 장치는 x와 같음

    같은 두 단계를 거꾸로 합니다. 먼저 토큰 축을 앞으로 옮기고, 그다음 마지막 두 축을 합칩니다.
    (축을 맞바꾸고 나면 원소들이 메모리에 더 이상 축의 순서대로 놓여 있지 않습니다. `view`는
    오류를 내고, `reshape`는 복사합니다.)

    예: 토큰 둘, 헤드 둘, 특성 하나. 원소의 값은 토큰 번호에 10을 곱하고 헤드 번호를 더한
    것이므로, 값만 보면 원래 자리를 알 수 있습니다.

        >>> x = torch.tensor([[[[0], [10]], [[1], [11]]]])
        >>> merge_heads(x).tolist()
        [[[0, 1], [10, 11]]]

    작성할 부분: 전체. `x`는 수정하지 않습니다. 결과는 x와 메모리를 공유해도 됩니다.
    """
    raise NotImplementedError("merge_heads: replace this line with your solution")


class MultiHeadAttentionWrapper(nn.Module):
    """이미 만든 싱글 헤드 어텐션 여러 개를 나란히 놓습니다.

    멀티 헤드를 구현하는 가장 단순한 방법은 싱글 헤드를 여러 개 만드는 것입니다. 각 헤드는 자기
    가중치를 가진 과제 2의 `CausalAttention`이고, 모두 같은 토큰을 입력으로 받으며, 그 출력을
    이어 붙입니다.

        output = Concat(head_0(x), …, head_{H-1}(x))

    여기서는 헤드들의 출력을 섞지도 않고, 차원을 나누지도 않습니다. 모든 헤드의 차원이 d_out이고,
    출력의 차원은 d_out · H입니다. 다음 클래스는 반복문 없이 계산하고, 헤드의 출력도 섞습니다.
    속도보다 정확성이 먼저입니다. 이 클래스는 짧아서 맞는지 쉽게 확인할 수 있습니다. 헤드들의
    파라미터 말고 다른 파라미터는 없습니다.

    인자
        d_in            입력 토큰의 차원
        d_out           쿼리, 키, 값, 그리고 헤드 *하나*의 출력 차원
        context_length  처리할 수 있는 가장 긴 시퀀스의 길이
        dropout         학습 모드에서 어텐션 가중치를 0으로 만들 확률
        num_heads       H
        qkv_bias        각 헤드의 세 선형 변환에 편향을 둘지 여부

    채점기가 찾는 이름: `heads`. `CausalAttention` H개를 담은 nn.ModuleList입니다. (Python
    리스트에 담으면 학습되지도, 저장되지도, 다른 장치로 옮겨지지도 않습니다.)

    예: 차원이 2인 헤드 두 개의 출력은 4차원이고, 앞쪽 절반이 헤드 0입니다.

        >>> attention = MultiHeadAttentionWrapper(3, 2, context_length=6, dropout=0.0, num_heads=2)
        >>> tokens = torch.randn(1, 6, 3)
        >>> attention(tokens).shape
        torch.Size([1, 6, 4])
        >>> torch.allclose(attention(tokens)[..., :2], attention.heads[0](tokens))
        True
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        """헤드들을 만듭니다. 작성할 부분: 전체."""
        super().__init__()
        raise NotImplementedError(
            "MultiHeadAttentionWrapper.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """각 헤드의 출력을 헤드 순서대로 이어 붙여 반환합니다.

        모양(shape)
            x        (B, T, d_in), 1 <= T <= context_length
            returns  (B, T, d_out · H), 자료형(dtype)과 장치는 x와 같음

        너무 긴 시퀀스에서는 `CausalAttention`이 ValueError를 일으킵니다. `x`는 수정하지
        않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "MultiHeadAttentionWrapper.forward: replace this line with your solution"
        )


class MultiHeadAttention(nn.Module):
    """코잘 어텐션 헤드 여러 개와, 그 출력을 결합하는 선형 층입니다.

    "Attention Is All You Need"(Vaswani et al., 2017)의 3.2.2절이고, 과제 2의 삼각형이
    마스크입니다.

        head_h = dropout(softmax(Q_h K_hᵀ / √Dh, 허용된 키에 대해)) V_h
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    Q_h, K_h, V_h는 헤드 h에 해당하는 Dh = d_out / H차원의 조각입니다. 헤드 0이 처음 Dh개 특성을,
    헤드 1이 그다음 Dh개를 가져가고, 나머지 헤드도 같은 방식입니다. 헤드마다 따로 어텐션을
    계산하고 소프트맥스도 따로 적용하며, √Dh로 나눕니다. 모델 전체의 차원이 아니라 *헤드*의
    차원입니다.

    인자
        d_in            입력 토큰의 차원
        d_out           모든 헤드를 합친 쿼리, 키, 값의 차원이자 출력의 차원
        context_length  처리할 수 있는 가장 긴 시퀀스의 길이
        dropout         학습 모드에서 어텐션 가중치를 0으로 만들 확률
        num_heads       H. d_out의 약수여야 함
        qkv_bias        세 선형 변환에 편향을 둘지 여부(마지막 변환에는 항상 있음)

    채점기가 찾는 이름: `W_query`, `W_key`, `W_value`, `out_proj`. 모두 nn.Linear입니다.

    예: 가중치가 무엇이든, 모든 헤드에서 첫 번째 토큰은 자기 자신만 볼 수 있습니다.

        >>> attention = MultiHeadAttention(3, 6, context_length=8, dropout=0.0, num_heads=2)
        >>> tokens = torch.randn(1, 5, 3)
        >>> output = attention(tokens)
        >>> output.shape
        torch.Size([1, 5, 6])
        >>> alone = attention.out_proj(attention.W_value(tokens[:, 0]))
        >>> torch.allclose(output[:, 0], alone, atol=1e-6)
        True
    """

    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        """네 선형 변환과 드롭아웃, 코잘 마스크를 만듭니다.

        num_heads가 d_out의 약수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를
        일으킵니다. (`assert`도 같은 일을 하지만 `python -O`로 실행하면 무시됩니다.)

        작성할 부분: 그 검사, 드롭아웃, 과제 2에서처럼 버퍼로 등록한 마스크, 그리고 `forward`에
        필요한 것.
        """
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        raise NotImplementedError(
            "MultiHeadAttention.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """각 토큰이 자기 자신과 앞선 토큰들을 참조한 어텐션 결과를 반환합니다.

        모양(shape)
            x        (B, T, d_in), 1 <= T <= context_length. 더 길 때 어떻게 할지는 자유이고,
                     과제 2처럼 ValueError를 일으키는 것이 가장 좋음
            returns  (B, T, d_out), 자료형(dtype)과 장치는 x와 같음

        전체 과정과 단계별 모양:
            선형 변환 세 개      (B, T, d_out)      모두 같은 x에 적용
            특성 나누기          (B, T, H, Dh)      특성만 나뉘고, 토큰은 제자리에 남음
            헤드를 앞으로        (B, H, T, Dh)      @가 헤드를 배치처럼 다루도록
            쌍의 점수            (B, H, T, T)       과제 2에서처럼 스케일, 마스크, 소프트맥스,
                                                    드롭아웃
            값의 가중합          (B, H, T, Dh)
            토큰을 앞으로        (B, T, H, Dh)      생략하지 마세요(아래 설명 참고)
            특성 합치기          (B, T, d_out)      그리고 `out_proj`를 적용

        흔한 실수는 (B, H, T, Dh)를 곧바로 (B, T, d_out)으로 reshape하는 것입니다. 모양은 맞고
        오류도 나지 않는데, 서로 다른 토큰의 특성이 한 행에 들어갑니다. 원소마다 자기 자리를 적어
        보면 드러납니다. T = 2, H = 2, Dh = 1로 두고 각 원소에 토큰과 헤드를 적어 봅시다.

            헤드별    [[t0h0, t1h0], [t0h1, t1h1]]
            틀림      [[t0h0, t1h0], [t0h1, t1h1]]    행 0에 두 토큰이 다 있음
            맞음      [[t0h0, t0h1], [t1h0, t1h1]]    행 0은 토큰 0

        `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "MultiHeadAttention.forward: replace this line with your solution"
        )


class PackedMultiHeadAttention(nn.Module):
    """같은 계산을, 쿼리·키·값을 한꺼번에 만드는 선형 변환 하나로 합니다.

    같은 x에 곱하는 행렬 셋은 위아래로 쌓을 수 있고, 큰 곱 하나가 작은 곱 셋보다 프로세서를 더
    효율적으로 씁니다. torch의 nn.MultiheadAttention과 timm의 Vision Transformer가 어텐션의
    가중치를 이렇게 저장합니다(GPT-2도 같지만 행렬이 전치되어 있습니다).

        [Q; K; V] = W_qkv x + b_qkv
        head_h = dropout(softmax(Q_h K_hᵀ / √Dh, 허용된 키에 대해)) V_h
        output = Concat(head_0, …, head_{H-1}) W_projᵀ + b_proj

    3 · D개 행의 순서는 어떻게 될까요? torch, timm, GPT-2가 모두 같은 순서를 쓰고, 여기서도 그
    순서를 따릅니다. 먼저 쿼리의 행 전부, 다음이 키, 다음이 값이고, 그 각각의 안에서는 헤드
    순서입니다. 줄여서 (qkv h d)라고 씁니다. D = 4, H = 2, Dh = 2일 때는 다음과 같습니다.

        row    0   1   2   3 | 4   5   6   7 | 8   9  10  11
               query         | key           | value
               head0 | head1 | head0 | head1 | head0 | head1

    (다른 순서로도 처음부터 학습하면 똑같이 잘 됩니다. 예를 들어 BLOOM은 (h qkv d) 순서로
    저장합니다. 하지만 한 순서로 저장한 가중치를 다른 순서로 읽으면 아무 의미가 없습니다.)

    앞의 클래스와 달리 삼각형 마스크가 들어 있지 않습니다. 어느 토큰을 볼 수 있는지는 인자로 받은
    마스크가 정합니다.

    인자
        emb_size   D, 토큰의 차원(입력과 출력이 같음)
        num_heads  H. D의 약수여야 함
        dropout    학습 모드에서 어텐션 가중치를 0으로 만들 확률

    채점기가 찾는 이름: D에서 3 · D로 가는 nn.Linear인 `qkv`, 그리고 D에서 D로 가는 nn.Linear인
    `projection`. 둘 다 편향이 있습니다. (라이브러리마다 이름이 다릅니다. timm에서는 두 번째가
    `proj`입니다.)

    예: 토큰이 자기 자신만 볼 수 있으면 어텐션은 아무것도 섞지 않습니다.

        >>> attention = PackedMultiHeadAttention(emb_size=12, num_heads=3)
        >>> tokens = torch.randn(2, 5, 12)
        >>> attention(tokens).shape
        torch.Size([2, 5, 12])
        >>> alone = attention(tokens, mask=torch.eye(5, dtype=torch.bool))
        >>> value = attention.qkv(tokens)[..., 24:]
        >>> torch.allclose(alone, attention.projection(value), atol=1e-6)
        True
    """

    def __init__(self, emb_size: int, num_heads: int, dropout: float = 0.0) -> None:
        """두 선형 변환과 드롭아웃을 만듭니다.

        num_heads가 emb_size의 약수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를
        일으킵니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError(
            "PackedMultiHeadAttention.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """각 토큰이 허용된 토큰들을 참조한 어텐션 결과를 반환합니다.

        모양(shape)
            x        (B, T, D)
            mask     bool, True = 참조해도 됨, None이면 전부 허용
                     (T, T)         쿼리 × 키, 모든 샘플과 헤드에 똑같이
                     (B, T, T)      샘플마다 하나
                     (…, …, …, …)   (B, H, T, T)에 브로드캐스트되는 네 축
            returns  (B, T, D), 자료형(dtype)과 장치는 x와 같음

        주의할 것은 축이 셋인 마스크입니다. 그대로 두면 브로드캐스트가 마스크의 B를 헤드 축에
        맞춥니다.

        참조할 수 있는 토큰이 하나도 없으면 어텐션 결과가 0이므로 출력은 `projection`의 편향과
        같고, 그래디언트도 유한해야 합니다. `x`와 `mask`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "PackedMultiHeadAttention.forward: replace this line with your solution"
        )


def pack_qkv(w_query: torch.Tensor, w_key: torch.Tensor, w_value: torch.Tensor) -> torch.Tensor:
    """세 선형 변환을 하나로 합친 `qkv`의 가중치 또는 편향을 반환합니다.

    모양(shape)
        w_query, w_key, w_value   (D, d_in)이면 nn.Linear의 가중치, (D,)이면 편향
        returns                   (3 · D, d_in) 또는 (3 · D,), 행은 위의 순서

    예:

        >>> pack_qkv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([5.0, 6.0]))
        tensor([1., 2., 3., 4., 5., 6.])

    작성할 부분: 전체. 입력은 하나도 수정하지 않습니다.
    """
    raise NotImplementedError("pack_qkv: replace this line with your solution")


def unpack_qkv(w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`pack_qkv`가 묶은 것에서 쿼리, 키, 값의 부분을 반환합니다.

    모양(shape)
        w        (3 · D, d_in) 또는 (3 · D,)
        returns  텐서 셋, (D, d_in) 또는 (D,)

    예:

        >>> unpack_qkv(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
        (tensor([1., 2.]), tensor([3., 4.]), tensor([5., 6.]))

    작성할 부분: 전체. `w`는 수정하지 않습니다. 반환하는 것은 w와 메모리를 공유해도 됩니다.
    """
    raise NotImplementedError("unpack_qkv: replace this line with your solution")


def from_torch_mha(mha: nn.MultiheadAttention) -> PackedMultiHeadAttention:
    """torch의 nn.MultiheadAttention과 가중치가 같은 모듈을 반환합니다.

    어텐션을 시험하는 가장 좋은 방법은 다른 구현과 비교하는 것입니다. `nn.MultiheadAttention`은
    가중치를 (qkv h d) 순서로 묶어 `in_proj_weight`와 `in_proj_bias`에, 그리고 `out_proj`에 담아
    둡니다. 속성으로는 `embed_dim`, `num_heads`, 그리고 확률 하나인 `dropout`이 있습니다. 둘에
    같은 가중치를 넣으면 같은 결과가 나와야 합니다.

    (참고로 그쪽 마스크의 뜻은 우리와 반대입니다. `nn.MultiheadAttention`에서 True는 *참조하면 안
    됨*을 뜻합니다. 그리고 `batch_first=True`로 만들지 않았다면 (T, B, D)를 받습니다. 둘 다
    가중치와는 상관없습니다. `mha`가 어떤 형식을 받든, 반환하는 모듈은 (B, T, D)를 받습니다.)

    가중치는 복사합니다. 한 모듈을 학습해도 다른 모듈은 달라지지 않고, `mha`는 그대로입니다.
    드롭아웃 확률도 그대로 가져옵니다. 복사본이 학습 모드인지 평가 모드인지는 자유입니다.

    인자
        mha      float32, 편향이 있고, 쿼리·키·값의 차원이 같은 것
        returns  새 PackedMultiHeadAttention

    예:

        >>> theirs = nn.MultiheadAttention(12, 3, batch_first=True)
        >>> ours = from_torch_mha(theirs)
        >>> x = torch.randn(2, 5, 12)
        >>> torch.allclose(ours(x), theirs(x, x, x)[0], atol=1e-6)
        True

    작성할 부분: 전체. (행을 다른 순서로 두었다면 여기서 그 순서에 맞게 바꾸면 됩니다.)
    """
    raise NotImplementedError("from_torch_mha: replace this line with your solution")


class CrossAttention(nn.Module):
    """한 시퀀스에서 다른 시퀀스를 참조하는 어텐션입니다.

    지금까지는 한 시퀀스 안에서만 어텐션을 계산했습니다. 번역에는 시퀀스가 둘 있습니다. 생성 중인
    문장과 입력 문장입니다. 쿼리는 앞의 것에서, 키와 값은 뒤의 것에서 나오고, 뒤의 것을 여기서는
    메모리라고 부릅니다("Attention Is All You Need" 3.2.3절의 "encoder-decoder attention").

        Q = x W_queryᵀ + b_q      K = memory W_keyᵀ + b_k      V = memory W_valueᵀ + b_v
        head_h = softmax(Q_h K_hᵀ / √Dh, 허용된 키에 대해) V_h
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    출력의 개수는 쿼리의 개수로 정해집니다. 메모리가 아무리 길어도 쿼리가 S개면 출력도 S개입니다.
    둘의 차원이 같을 필요도 없습니다. 이미지 모델이 텍스트 모델의 토큰을 참조할 수도 있습니다.
    선형 변환이 양쪽을 공통 차원으로 바꿉니다.

    셀프 어텐션에서는 값을 엉뚱한 입력에서 만들어도 거의 드러나지 않습니다. 여기서는 드러납니다.

    인자
        query_dim   x 토큰의 차원
        memory_dim  메모리 토큰의 차원
        emb_size    D, 모든 헤드를 합친 쿼리, 키, 값의 차원이자 출력의 차원
        num_heads   H. D의 약수여야 함

    채점기가 찾는 이름: `W_query`, `W_key`, `W_value`, `out_proj`. 모두 편향이 있는
    nn.Linear입니다. 드롭아웃도 삼각형 마스크도 없습니다. 첫 번째 쿼리를 계산할 때 메모리는 이미
    전부 있기 때문입니다.

    예: 메모리에 토큰이 하나뿐이면 모든 쿼리의 결과가 그 토큰의 값입니다.

        >>> attention = CrossAttention(query_dim=5, memory_dim=7, emb_size=12, num_heads=3)
        >>> x, memory = torch.randn(2, 4, 5), torch.randn(2, 1, 7)
        >>> output = attention(x, memory)
        >>> output.shape
        torch.Size([2, 4, 12])
        >>> torch.allclose(output, attention.out_proj(attention.W_value(memory)), atol=1e-6)
        True
    """

    def __init__(self, query_dim: int, memory_dim: int, emb_size: int, num_heads: int) -> None:
        """네 선형 변환을 만듭니다.

        num_heads가 emb_size의 약수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를
        일으킵니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError("CrossAttention.__init__: replace this line with your solution")

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """메모리에 대한 각 쿼리의 어텐션 결과를 반환합니다.

        모양(shape)
            x            (B, S, query_dim)
            memory       (B, L, memory_dim)
            memory_mask  (B, L) bool, True = 참조해도 됨. False는 그 샘플의 어떤 쿼리도 보지
                         못하는 패딩, None이면 전부 허용
            returns      (B, S, D), 자료형(dtype)과 장치는 x와 같음

        메모리가 모두 패딩인 샘플에서는 어텐션 결과가 0이므로 출력은 `out_proj`의 편향과 같고,
        그래디언트도 유한해야 합니다. 입력은 하나도 수정하지 않습니다.

        작성할 부분: 전체. S와 L은 서로 다른 길이라는 점에 주의하세요. 헤드를 나눌 때도
        마찬가지입니다.
        """
        raise NotImplementedError("CrossAttention.forward: replace this line with your solution")


class GroupedQueryAttention(nn.Module):
    """여러 쿼리 헤드가 적은 수의 키·값 헤드를 공유하는 어텐션입니다.

    텍스트를 생성하는 모델은 지금까지 생성한 모든 토큰의 키와 값을 저장해 두고, 새 토큰마다
    그것을 다시 읽습니다. 큰 모델이 한 번에 몇 명의 사용자를 처리할 수 있는지를 제한하는 것은
    계산량이 아니라 바로 이 메모리입니다. 그래서 여러 쿼리 헤드가 같은 키·값 헤드를 공유하게 하여
    메모리를 줄입니다. 모든 쿼리 헤드가 하나를 공유하면 "multi-query attention"(Shazeer, "Fast
    Transformer Decoding: One Write-Head is All You Need", 2019), 그 중간의 G개를 쓰면
    "grouped"(Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from
    Multi-Head Checkpoints", 2023)이고, G = H이면 앞에서 만든 어텐션과 같습니다.

        head_h = softmax(Q_h K_gᵀ / √Dh, 허용된 키에 대해) V_g             g = ⌊h / (H / G)⌋
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    헤드 H = 6개를 G = 2개 그룹으로 나눌 때는 인접한 헤드끼리 그룹을 이룹니다(0·1·2와 3·4·5).
    번갈아 나누지 않습니다(0·2·4와 1·3·5).

        쿼리 헤드       0   1   2 | 3   4   5
        키 헤드         0   0   0 | 1   1   1

    torch 함수로는 `repeat`이 아니라 `repeat_interleave`로 헤드를 반복합니다. 둘 다 실행은
    되지만, 공개된 체크포인트에서 둘을 혼동하면 그럴듯하지만 엉뚱한 문장이 나옵니다.

    인자
        emb_size      D, 토큰의 차원(입력과 출력이 같음)
        num_heads     H, 쿼리 헤드의 수. D의 약수여야 하고 Dh = D / H
        num_kv_heads  G, 키 헤드의 수이자 값 헤드의 수. H의 약수여야 함

    채점기가 찾는 이름(모두 편향이 있는 nn.Linear): D에서 D로 가는 `W_query`, D에서 G · Dh로 가고
    행이 (g d) 순서인 `W_key`와 `W_value`, D에서 D로 가는 `out_proj`.

    예: 키의 행은 3분의 1로 줄어듭니다.

        >>> attention = GroupedQueryAttention(emb_size=12, num_heads=6, num_kv_heads=2)
        >>> attention(torch.randn(2, 5, 12)).shape
        torch.Size([2, 5, 12])
        >>> attention.W_query.weight.shape, attention.W_key.weight.shape
        (torch.Size([12, 12]), torch.Size([4, 12]))
    """

    def __init__(self, emb_size: int, num_heads: int, num_kv_heads: int) -> None:
        """네 선형 변환을 만듭니다.

        num_heads가 emb_size의 약수가 아니거나 num_kv_heads가 num_heads의 약수가 아니면, 서로
        맞지 않는 두 수가 메시지에 들어 있는 ValueError를 일으킵니다.

        작성할 부분: 전체.
        """
        super().__init__()
        raise NotImplementedError(
            "GroupedQueryAttention.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """각 토큰이 허용된 토큰들을 참조한 어텐션 결과를 반환합니다.

        모양(shape)
            x        (B, T, D)
            mask     bool, True = 참조해도 됨, `PackedMultiHeadAttention`에서처럼 (T, T),
                     (B, T, T), 또는 (B, H, T, T)에 브로드캐스트되는 네 축, None이면 전부 허용
            returns  (B, T, D), 자료형(dtype)과 장치는 x와 같음

        참조할 수 있는 토큰이 하나도 없으면 어텐션 결과가 0이므로 출력은 `out_proj`의 편향과
        같고, 그래디언트도 유한해야 합니다. `x`와 `mask`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "GroupedQueryAttention.forward: replace this line with your solution"
        )


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 채점하지 않습니다.
if __name__ == "__main__":
    # split_heads
    x = torch.tensor([[[0, 1, 2, 3], [4, 5, 6, 7]]])
    print(split_heads(x, num_heads=2).tolist())
    # [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]

    # merge_heads
    x = torch.tensor([[[[0], [10]], [[1], [11]]]])
    print(merge_heads(x).tolist())
    # [[[0, 1], [10, 11]]]

    # MultiHeadAttentionWrapper
    attention = MultiHeadAttentionWrapper(3, 2, context_length=6, dropout=0.0, num_heads=2)
    tokens = torch.randn(1, 6, 3)
    print(attention(tokens).shape)
    # torch.Size([1, 6, 4])
    print(torch.allclose(attention(tokens)[..., :2], attention.heads[0](tokens)))
    # True

    # MultiHeadAttention
    attention = MultiHeadAttention(3, 6, context_length=8, dropout=0.0, num_heads=2)
    tokens = torch.randn(1, 5, 3)
    output = attention(tokens)
    print(output.shape)
    # torch.Size([1, 5, 6])
    alone = attention.out_proj(attention.W_value(tokens[:, 0]))
    print(torch.allclose(output[:, 0], alone, atol=1e-6))
    # True

    # PackedMultiHeadAttention
    attention = PackedMultiHeadAttention(emb_size=12, num_heads=3)
    tokens = torch.randn(2, 5, 12)
    print(attention(tokens).shape)
    # torch.Size([2, 5, 12])
    alone = attention(tokens, mask=torch.eye(5, dtype=torch.bool))
    value = attention.qkv(tokens)[..., 24:]
    print(torch.allclose(alone, attention.projection(value), atol=1e-6))
    # True

    # pack_qkv
    print(pack_qkv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([5.0, 6.0])))
    # tensor([1., 2., 3., 4., 5., 6.])

    # unpack_qkv
    print(unpack_qkv(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])))
    # (tensor([1., 2.]), tensor([3., 4.]), tensor([5., 6.]))

    # from_torch_mha
    theirs = nn.MultiheadAttention(12, 3, batch_first=True)
    ours = from_torch_mha(theirs)
    x = torch.randn(2, 5, 12)
    print(torch.allclose(ours(x), theirs(x, x, x)[0], atol=1e-6))
    # True

    # CrossAttention
    attention = CrossAttention(query_dim=5, memory_dim=7, emb_size=12, num_heads=3)
    x, memory = torch.randn(2, 4, 5), torch.randn(2, 1, 7)
    output = attention(x, memory)
    print(output.shape)
    # torch.Size([2, 4, 12])
    print(torch.allclose(output, attention.out_proj(attention.W_value(memory)), atol=1e-6))
    # True

    # GroupedQueryAttention
    attention = GroupedQueryAttention(emb_size=12, num_heads=6, num_kv_heads=2)
    print(attention(torch.randn(2, 5, 12)).shape)
    # torch.Size([2, 5, 12])
    print((attention.W_query.weight.shape, attention.W_key.weight.shape))
    # (torch.Size([12, 12]), torch.Size([4, 12]))
