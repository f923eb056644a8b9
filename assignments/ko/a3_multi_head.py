"""과제 3: 멀티 헤드 어텐션

어텐션 헤드 하나는 가중치 예산 하나를 나누어 씁니다. 어떤 단어가 자기 주어*도* 보고 뒤의 쉼표*도*
보아야 한다면, 한쪽을 볼수록 다른 쪽이 흐려집니다. 그러니 여러 헤드가 저마다의 질문과 이름표를
가지고 동시에 보게 하고, 찾은 것들은 마지막 선형 변환이 모으게 합시다.

놀라운 것은 여기에 추가 비용이 들지 않는다는 점입니다. 폭에 헤드 수를 곱하는 것이 아니라, 폭을
헤드들이 나누어 갖습니다. 폭 4인 헤드 셋에 필요한 선형 변환은 폭 12인 헤드 하나의 것과 같습니다.
새로운 것은 축을 챙기는 일뿐이고, 이 과제의 실수는 거의 모두 거기에서 나옵니다.

              토큰 하나, d_out = 12                     헤드 셋, Dh = 4

    [ q0 q1 q2 q3 | q4 q5 q6 q7 | q8 q9 q10 q11 ]  →  head 0: q0 q1 q2 q3
                                                      head 1: q4 q5 q6 q7
                                                      head 2: q8 q9 q10 q11

먼저 축을 챙기는 일을 하고, 그다음 헤드들을 소박하게 나란히 놓아 본 뒤, 실제로 쓰이는 모델에 들어
있는 어텐션 네 가지를 만듭니다. 글을 위한 삼각형이 있는 것(GPT), 선형 변환 하나로 모두 처리하는
것(Vision Transformer), 다른 시퀀스를 바라보는 것(번역), 그리고 키가 쿼리보다 적은 것(오늘날
대부분의 큰 모델)입니다.

앞에서 쓴 것은 `from a1_attention import ...`로 불러와 써도 되고, 과제 2의 클래스 하나는 이
과제의 출발점입니다. 그 안의 실수는 그쪽에서 감점되고, 여기서 또 감점되지는 않습니다.

모양을 나타내는 글자: B 배치, T 토큰, H 헤드, Dh 헤드 폭, D 모델 폭(D = H · Dh). 폭이 도중에
바뀌는 곳에서는 d_in과 d_out. 쿼리와 키가 같은 토큰이 아닐 때는 쿼리 토큰이 S, 키 토큰이 L입니다.
"""

import torch
from a2_masking import CausalAttention
from torch import nn


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """각 토큰의 특성을 헤드들에 나누고, 헤드를 토큰 앞으로 옮겨 반환합니다.

    헤드 0은 모든 토큰의 처음 Dh = D / H개 특성을, 헤드 1은 그다음 Dh개를 가져가고, 계속 그렇게
    나아갑니다.

        split[b, h, t, d] = x[b, t, h · Dh + d]

    왜 헤드를 앞으로 옮길까요? `@`와 소프트맥스는 마지막 두 축에서 작동하고 그 앞의 축은 모두
    배치로 여기기 때문입니다. (B, H, T, Dh)이면 모든 헤드가 샘플 하나처럼 되어, 헤드 하나를 위해
    쓴 코드가 모든 헤드에 통합니다.

    모양(shape)
        x          (B, T, D)
        num_heads  H. D의 약수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를 일으킴
        returns    (B, H, T, Dh), 자료형(dtype)과 장치는 x와 같음

    두 단계가 필요하고, 지름길은 없습니다. 먼저 (B, T, H, Dh)로 모양을 바꿉니다. 그러면 모든
    토큰의 행이 조각으로 나뉘고 토큰은 제자리에 남습니다. 그다음 축을 맞바꿉니다. 한 번에
    (B, H, T, Dh)로 바꾸면 모양은 맞지만, 헤드 0이 처음 토큰들을 통째로 가져가게 됩니다.

    예: 토큰 두 개로 된 문장 하나, 특성 네 개에 차례로 번호를 매겼습니다.

        >>> x = torch.tensor([[[0, 1, 2, 3], [4, 5, 6, 7]]])
        >>> split_heads(x, num_heads=2).tolist()
        [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]

    작성할 부분: 전체. `x`는 수정하지 않습니다. 결과는 x와 메모리를 공유해도 됩니다.
    """
    raise NotImplementedError("split_heads: replace this line with your solution")


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """헤드들이 찾은 것을 각 토큰의 행에 나란히 놓아 반환합니다.

    `split_heads`를 마지막 수 하나까지 되돌립니다.

        merged[b, t, h · Dh + d] = x[b, h, t, d]

    모양(shape)
        x        (B, H, T, Dh)
        returns  (B, T, D)이고 D = H · Dh, 자료형(dtype)과 장치는 x와 같음

    같은 두 단계를 거꾸로 밟습니다. 먼저 토큰을 앞으로 옮기고, 그다음 마지막 두 축을 합칩니다.
    (첫 단계를 거치면 수들이 메모리에 더 이상 축의 순서대로 놓여 있지 않습니다. `view`는
    거부하고, `reshape`는 복사합니다.)

    예: 토큰 둘, 헤드 둘, 특성 하나. 모든 수가 자기 자리를 말해 줍니다. 토큰에 10을 곱하고 헤드를
    더한 값입니다.

        >>> x = torch.tensor([[[[0], [10]], [[1], [11]]]])
        >>> merge_heads(x).tolist()
        [[[0, 1], [10, 11]]]

    작성할 부분: 전체. `x`는 수정하지 않습니다. 결과는 x와 메모리를 공유해도 됩니다.
    """
    raise NotImplementedError("merge_heads: replace this line with your solution")


class MultiHeadAttentionWrapper(nn.Module):
    """이미 만든 어텐션 헤드 여러 개를 나란히 놓은 것입니다.

    헤드를 여럿 두는 가장 간단한 방법은 헤드를 여럿 두는 것입니다. 각 헤드는 자기 가중치를 가진
    과제 2의 `CausalAttention`이고, 모두 같은 토큰을 읽으며, 찾은 것은 나란히 놓입니다.

        output = Concat(head_0(x), …, head_{H-1}(x))

    여기서는 헤드들이 찾은 것을 섞지도 않고, 폭을 나누지도 않습니다. 모든 헤드의 폭이 d_out이고,
    출력의 폭은 d_out · H입니다. 다음 클래스는 반복문 없이 하고, 섞기도 합니다. 빨라지기 전에
    먼저 옳아야 합니다. 이 클래스는 믿어도 될 만큼 짧습니다.

    인자
        d_in            들어오는 토큰의 폭
        d_out           쿼리, 키, 밸류, 그리고 헤드 *하나*가 반환하는 것의 폭
        context_length  앞으로 보게 될 가장 긴 시퀀스
        dropout         학습 모드에서 어텐션 가중치를 지울 확률
        num_heads       H
        qkv_bias        각 헤드의 세 선형 변환이 편향을 가지는지 여부

    채점기가 찾는 이름: `heads`. `CausalAttention` H개를 담은 nn.ModuleList입니다. (파이썬
    리스트도 담기는 똑같이 담지만, 학습되지도 저장되지도 옮겨지지도 않습니다.)

    예: 폭 2인 헤드 둘은 폭 4인 출력을 만들고, 그 앞쪽 절반이 헤드 0입니다.

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
        """각 헤드가 토큰 자신과 그 앞의 토큰들에게서 모은 것을 헤드 순서대로 반환합니다.

        모양(shape)
            x        (B, T, d_in), 1 <= T <= context_length
            returns  (B, T, d_out · H), 자료형(dtype)과 장치는 x와 같음

        너무 긴 시퀀스에서는 `CausalAttention`의 ValueError가 납니다. `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "MultiHeadAttentionWrapper.forward: replace this line with your solution"
        )


class MultiHeadAttention(nn.Module):
    """나란히 놓인 여러 인과 헤드와, 그들이 찾은 것을 섞는 선형 변환입니다.

    "Attention Is All You Need"(Vaswani et al., 2017)의 3.2.2절이고, 과제 2의 삼각형이
    마스크입니다.

        head_h = dropout(softmax(Q_h K_hᵀ / √Dh, 허용된 키에 대해)) V_h
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    Q_h, K_h, V_h는 헤드 h에 속하는 폭 Dh = d_out / H의 조각입니다. 헤드 0이 처음 Dh개 특성을,
    헤드 1이 그다음 Dh개를 가지고, 계속 그렇게 나아갑니다. 헤드들은 저마다 따로 주목하고
    소프트맥스도 따로 적용하며, √Dh로 나눕니다. 모델 전체의 폭이 아니라 *자기* 폭입니다.

    인자
        d_in            들어오는 토큰의 폭
        d_out           모든 헤드를 합친 쿼리, 키, 밸류의 폭이자 결과의 폭
        context_length  앞으로 보게 될 가장 긴 시퀀스
        dropout         학습 모드에서 어텐션 가중치를 지울 확률
        num_heads       H. d_out의 약수여야 함
        qkv_bias        세 선형 변환이 편향을 가지는지 여부(마지막 변환에는 언제나 있음)

    채점기와 공개된 체크포인트가 찾는 이름: `W_query`, `W_key`, `W_value`, `out_proj`. 모두
    nn.Linear입니다.

    예: 가중치가 무엇이든, 모든 헤드에서 첫째 토큰은 자기 자신만 볼 수 있습니다.

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
        """네 선형 변환과 드롭아웃과 인과 마스크를 만듭니다.

        num_heads가 d_out의 약수가 아니면 두 수가 모두 메시지에 들어 있는 ValueError를
        일으킵니다. (`assert`로도 알릴 수는 있지만, 누군가 `python -O`로 실행하면 그만입니다.)

        작성할 부분: 그 검사, 드롭아웃, 과제 2에서처럼 버퍼로 둔 마스크, 그리고 `forward`가
        알아야 할 것.
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
        """각 토큰이 자기 자신과 앞선 토큰들에게서 모은 것을 반환합니다.

        모양(shape)
            x        (B, T, d_in), 1 <= T <= context_length
            returns  (B, T, d_out), 자료형(dtype)과 장치는 x와 같음

        전체 경로, 그리고 단계마다의 모양:
            project             (B, T, d_out)       세 번
            특성 나누기         (B, T, H, Dh)       특성이 나뉘고, 토큰은 제자리에 있음
            헤드를 앞으로       (B, H, T, Dh)       @가 헤드를 배치처럼 다루도록
            scores              (B, H, T, T)        과제 2에서처럼 스케일, 마스크, 소프트맥스,
                                                    드롭아웃
            밸류 섞기           (B, H, T, Dh)
            토큰을 앞으로       (B, T, H, Dh)       건너뛰지 말 것: 아래를 보세요
            특성 합치기         (B, T, d_out)       그리고 `out_proj`를 통과

        단골 실수는 (B, H, T, Dh)를 곧바로 (B, T, d_out)으로 바꾸는 것입니다. 모양은 맞고 오류도
        나지 않는데, 서로 다른 토큰의 특성이 한 행에 들어갑니다. 자기 자리를 아는 수를 써 보면
        드러납니다. T = 2, H = 2, Dh = 1로 두고 각 항에 토큰과 헤드를 적어 봅시다.

            헤드별    [[t0h0, t1h0], [t0h1, t1h1]]
            wrong     [[t0h0, t1h0], [t0h1, t1h1]]    행 0에 두 토큰이 다 있음
            right     [[t0h0, t0h1], [t1h0, t1h1]]    행 0은 토큰 0

        `x`는 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "MultiHeadAttention.forward: replace this line with your solution"
        )


class PackedMultiHeadAttention(nn.Module):
    """같은 계산을, 쿼리와 키와 밸류를 위한 선형 변환 하나로 합니다.

    같은 x에 곱하는 행렬 셋은 위아래로 쌓을 수 있고, 큰 곱 하나가 작은 곱 셋보다 프로세서를 더
    바쁘게 부립니다. Vision Transformer와 GPT-2가 어텐션을 이렇게 저장합니다.

        [Q; K; V] = W_qkv x + b_qkv
        head_h = dropout(softmax(Q_h K_hᵀ / √Dh, 허용된 키에 대해)) V_h
        output = Concat(head_0, …, head_{H-1}) W_projᵀ + b_proj

    3 · D개 행 가운데 어느 것이 무엇일까요? 공개된 가중치는 한 가지 답에 맞추어져 있고, 우리도 그
    답을 따릅니다. 먼저 쿼리의 행 전부, 다음이 키, 다음이 밸류이고, 그 각각의 안에서는 헤드
    순서입니다. 줄여서 (qkv h d)라고 씁니다. D = 4, H = 2, Dh = 2일 때는 다음과 같습니다.

        row    0   1   2   3 | 4   5   6   7 | 8   9  10  11
               query         | key           | value
               head0 | head1 | head0 | head1 | head0 | head1

    (처음부터 학습한다면 다른 순서도 똑같이 잘 학습됩니다. 다만 남의 가중치를 불러올 수
    없습니다.)

    앞의 클래스와 달리 여기에는 삼각형이 들어 있지 않습니다. 누가 누구를 볼 수 있는지는 마스크가
    말해 줍니다.

    인자
        emb_size   D, 토큰의 폭(통과 전과 후)
        num_heads  H. D의 약수여야 함
        dropout    학습 모드에서 어텐션 가중치를 지울 확률

    채점기와 공개된 체크포인트가 찾는 이름: D에서 3 · D로 가는 nn.Linear인 `qkv`, 그리고 D에서
    D로 가는 nn.Linear인 `projection`. 둘 다 편향이 있습니다.

    예: 토큰이 자기 자신만 볼 수 있다면 어텐션은 하는 일이 전혀 없습니다.

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
        """각 토큰이 주목해도 되는 토큰들에게서 모은 것을 반환합니다.

        모양(shape)
            x        (B, T, D)
            mask     bool, True = 주목해도 됨, None이면 전부 허용
                     (T, T)         쿼리 × 키, 모든 샘플과 헤드에 똑같이
                     (B, T, T)      샘플마다 하나
                     (…, …, …, …)   (B, H, T, T)에 브로드캐스트되는 네 축
            returns  (B, T, D), 자료형(dtype)과 장치는 x와 같음

        생각해 볼 것은 축이 셋인 마스크입니다. 그냥 두면 브로드캐스트가 마스크의 B를 헤드로
        받아들입니다.

        누구에게도 주목할 수 없는 토큰은 0을 모으므로 그 출력은 `projection`의 편향이고,
        그래디언트는 유한하게 남습니다. `x`도 `mask`도 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "PackedMultiHeadAttention.forward: replace this line with your solution"
        )


def pack_qkv(w_query: torch.Tensor, w_key: torch.Tensor, w_value: torch.Tensor) -> torch.Tensor:
    """세 선형 변환이 하는 일을 하는 `qkv`의 가중치 또는 편향을 반환합니다.

    모양(shape)
        w_query, w_key, w_value   (D, d_in)이면 nn.Linear의 가중치, (D,)이면 편향
        returns                   (3 · D, d_in) 또는 (3 · D,), 행은 위의 순서

    예:

        >>> pack_qkv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([5.0, 6.0]))
        tensor([1., 2., 3., 4., 5., 6.])

    작성할 부분: 전체. 들어온 것은 하나도 수정하지 않습니다.
    """
    raise NotImplementedError("pack_qkv: replace this line with your solution")


def unpack_qkv(w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`pack_qkv`가 묶은 것에서 쿼리, 키, 밸류의 부분을 반환합니다.

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
    """torch 자체 모듈의 가중치를 가진 여러분의 모듈을 반환합니다.

    어텐션을 시험하는 가장 좋은 방법은 남이 만든 어텐션과 견주는 것입니다.
    `nn.MultiheadAttention`은 수들을 (qkv h d) 순서로 묶어 `in_proj_weight`와 `in_proj_bias`에,
    그리고 `out_proj`에 담아 둡니다. 속성으로는 `embed_dim`, `num_heads`, 그리고 수 하나인
    `dropout`이 있습니다. 둘에 같은 가중치를 넣으면 둘은 같은 것을 계산해야 합니다.

    (참고로 그쪽 마스크의 뜻은 우리와 반대입니다. `nn.MultiheadAttention`에서 True는 *주목하면 안
    됨*을 뜻합니다. 그리고 `batch_first=True`로 만들지 않았다면 (T, B, D)를 받습니다. 둘 다
    가중치와는 상관없습니다. `mha`가 무엇을 받든 여러분이 반환하는 모듈은 (B, T, D)를 받습니다.)

    수들은 복사됩니다. 한 모듈을 학습해도 다른 모듈은 움직이지 않고, `mha`는 그대로입니다.
    드롭아웃 비율도 넘겨받습니다.

    인자
        mha      float32, 편향이 있고, 쿼리와 키와 밸류의 폭이 같은 것
        returns  새 PackedMultiHeadAttention

    예:

        >>> theirs = nn.MultiheadAttention(12, 3, batch_first=True)
        >>> ours = from_torch_mha(theirs)
        >>> x = torch.randn(2, 5, 12)
        >>> torch.allclose(ours(x), theirs(x, x, x)[0], atol=1e-6)
        True

    작성할 부분: 전체. (여러분의 행이 나름의 순서로 놓여 있다면, 여기가 그 순서로 바꾸어 놓을
    곳입니다.)
    """
    raise NotImplementedError("from_torch_mha: replace this line with your solution")


class CrossAttention(nn.Module):
    """한 시퀀스에서 다른 시퀀스로 향하는 어텐션입니다.

    지금까지 시퀀스는 자기 자신과 이야기했습니다. 번역기에는 시퀀스가 둘 있습니다. 쓰고 있는
    문장과 읽은 문장입니다. 쿼리는 앞의 것에서, 키와 밸류는 뒤의 것에서 나오고, 뒤의 것을
    여기서는 메모리라고 부릅니다("Attention Is All You Need" 3.2.3절의 "encoder-decoder
    attention").

        Q = x W_queryᵀ + b_q      K = memory W_keyᵀ + b_k      V = memory W_valueᵀ + b_v
        head_h = softmax(Q_h K_hᵀ / √Dh, 허용된 키에 대해) V_h
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    답이 몇 개인지는 묻는 쪽이 정합니다. 메모리가 아무리 길어도 쿼리가 S개면 출력도 S개입니다.
    둘의 폭이 같을 필요도 없습니다. 이미지 모델이 텍스트 모델의 단어를 읽을 수도 있습니다. 각
    선형 변환이 자기 쪽을 공통 폭으로 가져옵니다.

    셀프 어텐션에서는 밸류를 엉뚱한 것으로 만들어도 거의 드러나지 않습니다. 여기서는 드러납니다.

    인자
        query_dim   x의 토큰의 폭
        memory_dim  메모리의 토큰의 폭
        emb_size    D, 모든 헤드를 합친 쿼리, 키, 밸류의 폭이자 결과의 폭
        num_heads   H. D의 약수여야 함

    채점기와 공개된 체크포인트가 찾는 이름: `W_query`, `W_key`, `W_value`, `out_proj`. 모두
    편향이 있는 nn.Linear입니다. 여기에는 드롭아웃도 삼각형도 없습니다. 첫 쿼리를 던지기 전에
    메모리는 이미 모두 읽혔기 때문입니다.

    예: 메모리에 토큰이 하나뿐이면 모든 쿼리가 그 토큰의 밸류를 얻습니다.

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
        """각 쿼리가 메모리에서 모은 것을 반환합니다.

        모양(shape)
            x            (B, S, query_dim)
            memory       (B, L, memory_dim)
            memory_mask  (B, L) bool, True = 주목해도 됨. False는 그 샘플의 어떤 쿼리도 보지
                         못하는 패딩, None이면 전부 허용
            returns      (B, S, D), 자료형(dtype)과 장치는 x와 같음

        메모리가 처음부터 끝까지 패딩인 샘플은 0을 모으므로 그 출력은 `out_proj`의 편향이고,
        그래디언트는 유한하게 남습니다. 들어온 것은 하나도 수정하지 않습니다.

        작성할 부분: 전체. S와 L은 서로 다른 길이라는 점에 주의하세요. 헤드를 나눌 때도
        마찬가지입니다.
        """
        raise NotImplementedError("CrossAttention.forward: replace this line with your solution")


class GroupedQueryAttention(nn.Module):
    """적은 수의 키와 밸류를 함께 쓰는 많은 쿼리입니다.

    글을 쓰는 모델은 지금까지 쓴 모든 것의 키와 밸류를 간직하고, 새 토큰마다 그것을 다시
    읽습니다. 큰 모델에서 한 번에 몇 사람을 상대할 수 있는지를 제한하는 것은 계산량이 아니라 바로
    이 메모리입니다. 그러니 이것을 아낍시다. 여러 쿼리 헤드가 같은 키·밸류 헤드를 읽게 하는
    것입니다. 모두가 하나를 함께 쓰면 "multi-query attention"(Shazeer, "Fast Transformer
    Decoding: One Write-Head is All You Need", 2019), 그 중간의 어떤 수 G이면 "grouped"(Ainslie
    et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
    Checkpoints", 2023), G = H이면 이미 아는 것입니다.

        head_h = softmax(Q_h K_gᵀ / √Dh, 허용된 키에 대해) V_g             g = ⌊h / (H / G)⌋
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    H = 6개의 헤드를 G = 2개의 묶음으로 나눌 때는 이웃끼리 두 줄이 되는 것이지, 번갈아 번호를
    부르는 두 편이 되는 것이 아닙니다.

        쿼리 헤드       0   1   2 | 3   4   5
        키 헤드         0   0   0 | 1   1   1

    torch의 말로 하면 헤드는 `repeat`이 아니라 `repeat_interleave`로 반복됩니다. 둘 다 실행은
    되지만, 공개된 체크포인트에서 둘을 혼동하면 유창한 헛소리를 얻습니다.

    인자
        emb_size      D, 토큰의 폭(통과 전과 후)
        num_heads     H, 쿼리 헤드의 수. D의 약수여야 하고 Dh = D / H
        num_kv_heads  G, 키 헤드의 수이자 밸류 헤드의 수. H의 약수여야 함

    채점기와 공개된 체크포인트가 찾는 이름(모두 편향이 있는 nn.Linear): D에서 D로 가는 `W_query`,
    D에서 G · Dh로 가고 행이 (g d) 순서인 `W_key`와 `W_value`, D에서 D로 가는 `out_proj`.

    예: 키는 3분의 1의 행으로 충분합니다.

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
        """각 토큰이 주목해도 되는 토큰들에게서 모은 것을 반환합니다.

        모양(shape)
            x        (B, T, D)
            mask     bool, True = 주목해도 됨, `PackedMultiHeadAttention`에서처럼 (T, T),
                     (B, T, T), 또는 (B, H, T, T)에 브로드캐스트되는 네 축, None이면 전부 허용
            returns  (B, T, D), 자료형(dtype)과 장치는 x와 같음

        누구에게도 주목할 수 없는 토큰은 0을 모으므로 그 출력은 `out_proj`의 편향이고,
        그래디언트는 유한하게 남습니다. `x`도 `mask`도 수정하지 않습니다.

        작성할 부분: 전체.
        """
        raise NotImplementedError(
            "GroupedQueryAttention.forward: replace this line with your solution"
        )


# demo
# 실행해 보고, 바꿔 보고, 덧붙여 보세요. 절대 채점하지 않습니다.
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
    print(attention.W_query.weight.shape, attention.W_key.weight.shape)
    # (torch.Size([12, 12]), torch.Size([4, 12]))
