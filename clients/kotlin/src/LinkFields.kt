/** The fields of a link that the app makes, checked as the service checks them. */
package dev.throughline

/** A scheme, another host, or what parsers of addresses leave out. */
private val NOT_A_PATH = Regex("""^[^/?#]*:|^[/\\]{2}|^/?\\|^[$SPACES]|\p{Cc}""")
private val WEB_ADDRESS = Regex("^https?://[^$SPACES/?#][^$SPACES]*$", RegexOption.IGNORE_CASE)
private val CONTROL = Regex("""\p{Cc}""")

/** A copy: the app may change the map before it is sent. @return JSON, each field after a comma. @throws LinkException */
internal fun fieldsOf(link: NewLink): String =
    try {
        check(link)
        val texts = mapOf(
            "deepLinkPath" to link.deepLinkPath,
            "ogTitle" to link.ogTitle,
            "ogDescription" to link.ogDescription,
            "ogImage" to link.ogImage,
            "campaignId" to link.campaignId,
        )
        val params = link.deepLinkParams?.let { jsonOf("deepLinkParams", it, MAX_LINK_PARAMS_BYTES) }
        texts.entries.joinToString("") { (name, text) -> text?.let { ",\"$name\":${writeJson(it)}" }.orEmpty() } +
            params?.let { ",\"deepLinkParams\":$it" }.orEmpty()
    } catch (cause: IllegalArgumentException) {
        throw LinkException("request.invalid", "createLink was refused: ${cause.message}.")
    }

private fun check(link: NewLink) {
    checkText("deepLinkPath", link.deepLinkPath, MAX_PATH_CHARACTERS)
    require(!NOT_A_PATH.containsMatchIn(link.deepLinkPath)) {
        "deepLinkPath must be a path in the app, such as /invite/42, without a scheme, a host or control characters"
    }
    link.ogTitle?.let { checkText("ogTitle", it) }
    link.ogDescription?.let { checkText("ogDescription", it, MAX_DESCRIPTION_CHARACTERS) }
    link.ogImage?.let { image ->
        checkText("ogImage", image, MAX_URL_CHARACTERS)
        require(WEB_ADDRESS.containsMatchIn(image) && !CONTROL.containsMatchIn(image)) {
            "ogImage must be an http(s) address without spaces"
        }
    }
    link.campaignId?.let { checkText("campaignId", it) }
}
