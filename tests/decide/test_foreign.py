"""Texts that are not English get a note, and a changed one is never passed by a model that does not read it."""

from datetime import date
from pathlib import Path

import pytest

from wfgate.decide import Blob, Pair
from wfgate.run import Config, load_gate

PLANS = {
    "German": ["Dienst stoppen", "Datensicherung anlegen", "Server neu starten", "Protokoll prüfen"],
    "French": ["Arrêter le service", "Créer une sauvegarde", "Redémarrer le serveur", "Vérifier le journal"],
    "Dutch": ["Stop de dienst", "Maak een back-up", "Start de server opnieuw", "Controleer het logboek"],
}
CHANGED = {
    "German": "Keine Datensicherung anlegen",
    "French": "Ne pas créer de sauvegarde",
    "Dutch": "Maak geen back-up",
}


@pytest.fixture(scope="module")
def decided():
    gate = load_gate(Config(), date.min)

    def of(golden, candidate):
        files = [
            Blob(Path("plan.yaml"), "\n".join(['wfgate: "1"', "steps:", *(f"  - {step}" for step in steps)]).encode())
            for steps in (golden, candidate)
        ]
        return gate.decide(Pair("case", (files[0],), files[1]))

    return of


@pytest.mark.parametrize("language", PLANS)
def test_a_changed_step_is_at_least_a_review(decided, language):
    golden = PLANS[language]
    case = decided(golden, [golden[0], CHANGED[language], *golden[2:]])
    assert case.verdict in {"review", "block"}
    assert f"{language} texts in the golden and the candidate, calibrated on English" in case.outside
    (reason,) = (reason for reason in case.reasons if reason.rule == "language")
    assert f"'{golden[1]}'" in reason.message


@pytest.mark.parametrize("language", PLANS)
def test_the_same_words_pass(decided, language):
    golden = PLANS[language]
    case = decided(golden, [golden[0], golden[1].upper(), *golden[2:]])
    assert (case.verdict, case.reasons) == ("pass", ())
    assert case.outside


def test_an_english_plan_has_no_such_note(decided):
    golden = ["Stop the service", "Create a backup of the database", "Restart the server", "Check the log"]
    case = decided(golden, [*golden[:3], "Look through the log"])
    assert "language" not in {reason.rule for reason in case.reasons}
    assert not [phrase for phrase in case.outside if "English" in phrase]
