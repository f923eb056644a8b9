"""과제 6: 글을 쓰는 모델.

어텐션, 마스크, 헤드, 블록, 위치, 캐시까지 모두 만들었습니다. 이제 이것으로 글을 생성할
차례입니다. 언어 모델은 다음에 올 수 있는 모든 토큰에 점수를 줍니다. 하나를 골라 뒤에 붙이고 다시
묻습니다. 글을 생성하는 과정은 이것이 전부입니다.

고르는 일은 보기보다 간단하지 않습니다. 언제나 가장 좋은 토큰만 고르면 같은 말을 되풀이하고, 모든
토큰에서 뽑으면 가끔 엉뚱한 글이 나옵니다. 여러분은 그 사이를 조절하는 함수를 작성합니다.

모양을 나타내는 글자: B 배치, T 토큰, V 어휘의 토큰 수. …는 임의의 앞쪽 축을 뜻합니다.
"""

import torch


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

    확률이 0.5, 0.3, 0.2일 때 p가 0.6이면 두 토큰이 남습니다. 0.5로는 모자라고 0.8이면
    충분합니다.

    모양(shape)
        logits       (…, V), 임의의 실수. -inf인 토큰의 확률은 0 (행마다 하나는 유한함)
        temperature  0 이상
        top_k        None 또는 1 이상
        top_p        0보다 크고 1 이하
        returns      (…, V), 행마다 합이 1, 자료형은 로짓과 같음

    그 밖의 temperature, top_k, top_p는 그 수가 메시지에 들어 있는 ValueError를 냅니다. top_k나
    top_p의 경계에서 확률이 같은 두 토큰 가운데 어느 것이 남는지는 자유입니다. 로짓은 바꾸지
    않고, 반정밀도는 float32로 계산하며, 그래디언트는 요구하지 않습니다.

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

    무작위는 모두 `generator`에서 나와야 합니다. None은 torch 자체의 generator를 뜻합니다. 그러면
    다른 곳에서 무엇을 뽑았든 시드가 같은 generator는 같은 글을 다시 생성합니다. 행마다 따로
    뽑습니다. `torch.multinomial`은 확률로 된 행에서 뽑는 함수입니다.

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
    print(one.shape, torch.equal(one, two))
    # (torch.Size([2, 3]), True)
