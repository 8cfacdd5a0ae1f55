"""Frequent words of six languages in Latin script, and of English: function words, and the verbs of steps."""

from wfgate.language.lexicon import word_set

ENGLISH = word_set(
    "the of and to with for from is are be by that this these each every all any if when before after until into or "
    "not it its has have must should can will which than then only at as on"
)
_SHARED = word_set(
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
OWN_WORDS = {language: word_set(words) - _SHARED - ENGLISH for language, words in _OTHERS.items()}
_TELLING = word_set("de la le el en un die den des y o e no")
SHARED_WORDS = {language: _TELLING.intersection(words.split()) for language, words in _OTHERS.items()}
"""Shared words that count beside a word of the language alone."""
LETTERS = {"German": "äöüß", "French": "êèçœ", "Spanish": "ñ¿¡", "Italian": "", "Portuguese": "ãõ", "Dutch": ""}
"""Letters that words of the language have and English ones do not; a word with one counts."""
