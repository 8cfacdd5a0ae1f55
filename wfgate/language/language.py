"""The language of texts in Latin script: English, or one of six others that frequent words tell apart from it."""

import re
from collections.abc import Iterable

READ_WORDS = 20_000
"""Words of the texts that are counted."""
LEAST_WORDS = 2
"""Different words of another language that texts need to count as written in it."""
LEAST_SHARE = 0.1
"""Least share of these words among all words."""
CLEARLY = 2
"""A word of another language must occur this often for each word that is English only."""

_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"`[^`]*`|\b[\w.+-]*[/\\@=_][^\s]*")
"""Code, paths, addresses and identifiers: they have no language."""
_ENGLISH_WORDS = (
    "the of and to with for from is are be by that this these each every all any if when before after until into or "
    "not it its has have must should can will which than then only at as on"
)
_SHARED_WORDS = (
    "an as at over on no is in it be by me a i o e y are die den des bei is was war hat man per con non se te do de "
    "la le el en es un due some sole come data test start stop status jour son sans"
)
"""Words that are English, too, or stand in English names: they tell nothing."""
_OTHERS = {
    "German": (
        "der die das dem den des ein eine einen einem einer und oder nicht kein keine keinen mit für von vom zu "
        "zum zur auf aus bei im ist sind wird werden wenn falls bevor nach vor bis alle jede jeden neue neuen "
        "erst dann durch über muss müssen darf soll anlegen prüfen starten stoppen senden erstellen löschen "
        "bestätigen freigeben warten sichern einrichten aktualisieren informieren ausführen überprüfen "
        "entfernen schreiben bereitstellen melden erfassen kontrollieren archivieren auslösen genehmigen "
        "ablehnen speichern buchen bezahlen benachrichtigen"
    ),
    "French": (
        "le la les un une des du de et ou ne pas sans avec pour dans sur au aux est sont être si avant après "
        "chaque tous toutes par ce cette ces qui que jusqu aucun aucune doit vérifier créer envoyer supprimer "
        "démarrer arrêter mettre lancer attendre sauvegarder déployer obtenir valider effectuer installer "
        "demander ajouter jour"
    ),
    "Spanish": (
        "el la los las un una unos del de y o no con sin para por en al es son ser si antes después cada todos "
        "todas que este esta hasta ningún ninguna debe verificar crear enviar eliminar iniciar detener esperar "
        "guardar desplegar obtener validar realizar comprobar ejecutar solicitar borrar revisar actualizar "
        "hacer copia aprobar rechazar registrar notificar"
    ),
    "Italian": (
        "il lo gli le un una uno dei delle della del di e o non con senza per in nel nella al alla è sono "
        "essere se prima dopo ogni tutti tutte che questo questa fino nessun nessuna deve verificare creare "
        "inviare eliminare avviare fermare attendere salvare ottenere eseguire controllare richiedere "
        "aggiornare cancellare approvare rifiutare registrare avvisare"
    ),
    "Portuguese": (
        "o os as um uma uns do da dos das de e ou não com sem para por em no na ao à é são ser se antes depois "
        "cada todos todas que este esta até nenhum nenhuma deve verificar criar enviar excluir iniciar parar "
        "aguardar salvar implantar obter validar realizar executar solicitar apagar revisar atualizar fazer "
        "aprovar rejeitar registrar notificar pagamento"
    ),
    "Dutch": (
        "de het een en of niet geen met zonder voor van naar op uit bij is zijn wordt worden als voordat nadat "
        "tot alle elke nieuwe eerst dan door over moet mag controleren maken verzenden verwijderen starten "
        "stoppen wachten opslaan bijwerken uitvoeren aanvragen goedkeuren instellen sturen aanmaken bevestigen"
    ),
}
_ENGLISH, _SHARED = (frozenset(words.split()) for words in (_ENGLISH_WORDS, _SHARED_WORDS))
_WORDS = {language: frozenset(words.split()) - _SHARED - _ENGLISH for language, words in _OTHERS.items()}
_TELLING = frozenset({"de", "la", "le", "el", "en", "un", "die", "den", "des", "y", "o", "e", "no"})
"""Shared words that count beside a word of the language alone."""
_SIGNS = {"German": "äöüß", "French": "êèçœ", "Spanish": "ñ¿¡", "Italian": "", "Portuguese": "ãõ", "Dutch": ""}
"""Letters that words of the language have and English ones do not; a word with one counts."""


def foreign_language(texts: Iterable[str]) -> str | None:
    """Return the name of the language of texts in Latin script; None if they are English or too short to tell.

    Counted are frequent words of German, French, Spanish, Italian, Portuguese and Dutch (function words, and the verbs
    of steps), words with a letter of the language, and function words of English. Texts are in another language if
    they have at least two different words of it, these are a tenth of all words, and there are twice as many of them
    as English function words. Code in backticks, paths and identifiers do not count.

    Cost: linear in the texts, up to 20,000 words.

    Example:
        >>> foreign_language(["Keine Datensicherung anlegen", "Server neu starten"])
        'German'
        >>> foreign_language(["Send the report to the team of São Paulo", "Deploy"]) is None
        True
    """
    words: list[str] = []
    for text in texts:
        if len(words) > READ_WORDS:
            break
        plain = _CODE.sub(" ", text[: 10 * READ_WORDS])
        words += [word.casefold() for word in _WORD.findall(plain)]
    if not words:
        return None
    english = sum(word in _ENGLISH for word in words)
    counts = {language: _hits(words, language) for language in _WORDS}
    best = max(counts, key=lambda language: len(counts[language]))
    found = counts[best]
    clear = (
        len(set(found)) >= LEAST_WORDS and len(found) >= LEAST_SHARE * len(words) and len(found) > CLEARLY * english
    )
    return best if clear else None


def _hits(words: list[str], language: str) -> list[str]:
    """Return the words that are of a language and not English."""
    own, signs = _WORDS[language], set(_SIGNS[language])
    found = [word for word in words if word in own or not signs.isdisjoint(word)]
    if own.isdisjoint(found):
        return found
    shared = _TELLING.intersection(_OTHERS[language].split())
    return found + [word for word in words if word in shared]
