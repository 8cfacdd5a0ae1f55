"""Which language texts are in: six are told apart from English; short texts and English ones are undecided."""

import json
from pathlib import Path

import pytest

from wfgate.language import foreign_language

CORPORA = Path(__file__).parents[2] / "calibration" / "corpora"
PLANS = {
    "German": (["Datensicherung anlegen", "Server neu starten", "Protokoll prüfen"], ["Keine Datensicherung anlegen"]),
    "French": (["Créer une sauvegarde", "Redémarrer le serveur"], ["Valider la commande", "Envoyer la facture"]),
    "Spanish": (["Crear una copia de seguridad", "Revisar el registro"], ["Aprobar la factura", "Enviar el pago"]),
    "Italian": (["Creare un backup", "Controllare il registro"], ["Approvare la fattura", "Inviare il pagamento"]),
    "Portuguese": (
        ["Criar uma cópia de segurança", "Verificar o registro"],
        ["Aprovar a fatura", "Enviar o pagamento"],
    ),
    "Dutch": (["Start de server opnieuw", "Controleer het logboek"], ["Factuur goedkeuren", "Betaling uitvoeren"]),
}


@pytest.mark.parametrize("language", PLANS)
def test_a_plan_of_a_few_steps_is_enough(language: str):
    assert [foreign_language(plan) for plan in PLANS[language]] == [language, language]


@pytest.mark.parametrize(
    "plan",
    [
        [],
        ["build", "test", "deploy"],
        ["Datensicherung"],
        ["Deploy to São Paulo", "Check the façade of the Müller building"],
        ["Ask the El Paso office", "Visit La Défense"],
        ["Run `rm -rf das/der/die`", "Build"],
        ["Translate 'Das ist ein Test' to English and send the result to the author of the text"],
        ["Die if there is no quorum", "Man the desk"],
    ],
)
def test_english_and_short_texts_are_undecided(plan: list[str]):
    assert foreign_language(plan) is None


def test_more_english_makes_no_text_foreign():
    """Adding English sentences never changes the answer from undecided to a language."""
    german = PLANS["German"][0]
    answers = [foreign_language([*german, *["Send the report to the team"] * count]) for count in range(8)]
    assert answers[0] == "German"
    assert answers == sorted(answers, key=lambda answer: answer is None)
    assert answers[-1] is None


def test_no_workflow_of_the_corpora_is_in_another_language():
    """All of them are English; a few quote other languages in their arguments."""
    texts = []
    for file in sorted(CORPORA.glob("**/*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            steps = json.loads(line).get("steps")
            if isinstance(steps, list) and steps:
                texts.append([step if isinstance(step, str) else str(step.get("name", "")) for step in steps])
    assert len(texts) > 3000
    assert [plan for plan in texts if foreign_language(plan)] == []
