"""When questions start, with a clock that the test sets."""

from __future__ import annotations

from dataclasses import dataclass, field

from spark_eventhubs.pure._pace import Pace


@dataclass
class Asker:
    """Asks one question after the other. The service refuses those that are above its rate."""

    allowed: int
    most: int = 40
    now: float = 100.0
    answered: list[float] = field(default_factory=list)
    refused: int = 0

    def __post_init__(self) -> None:
        self.pace = Pace(self.most, clock=lambda: self.now, vary=lambda: 0.0)

    def ask(self, questions: int) -> None:
        for _ in range(questions):
            self.now += self.pace.turn()
            while sum(int(each) == int(self.now) for each in self.answered) >= self.allowed:
                self.refused += 1
                self.pace.refused()
                self.now += self.pace.turn()
            self.answered.append(self.now)


def test_some_questions_start_at_once_and_others_follow_in_the_rate_of_the_service() -> None:
    asker = Asker(allowed=50)

    asker.ask(40)
    assert asker.now == 100
    asker.ask(81)

    assert asker.refused == 0
    assert 103 < asker.now < 104


def test_a_service_that_answers_one_question_a_second_gets_hardly_more() -> None:
    asker = Asker(allowed=1)

    asker.ask(33)

    assert asker.refused <= 6
    assert asker.now - 100 < 33 * 1.1 + 6 * 5


def test_the_rate_grows_again_while_nothing_is_refused() -> None:
    asker = Asker(allowed=10)
    asker.ask(20)
    assert asker.refused > 0
    asker.allowed = 1000
    asker.now += 60

    before = asker.now
    asker.ask(40)

    assert asker.now == before
