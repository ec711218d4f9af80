/** Whether the app is too old for a link. */
package dev.throughline

/** Of `4.2.0-beta.1 (77)` that of 4.2.0. */
private val VERSION = Regex("""^\s*v?([0-9]+(?:\.[0-9]+)*)""", RegexOption.IGNORE_CASE)

/** Sets `isUpdateRequired`, which is never stored: the person may have updated the app since. */
internal fun DeepLink.forVersion(app: Fingerprint?): DeepLink {
    val least = minAppVersion[if (app?.platform == Platform.IOS) "ios" else "android"]
    return if (isOlder(app?.appVersion, least)) copy(isUpdateRequired = true) else this
}

/** With what its link means for this version of the app. */
internal suspend fun Session.forVersion(answer: Attribution): Attribution {
    val link = answer.link?.takeIf { it.minAppVersion.isNotEmpty() } ?: return answer
    readApp()
    return answer.copy(link = link.forVersion(app))
}

/** Compares dotted numbers; a part that is missing is 0. False unless both are known. */
internal fun isOlder(version: String?, least: String?): Boolean {
    val own = partsOf(version) ?: return false
    val needed = partsOf(least) ?: return false
    for (at in 0 until maxOf(own.size, needed.size)) {
        val order = (own.getOrNull(at) ?: 0.0).compareTo(needed.getOrNull(at) ?: 0.0)
        if (order != 0) return order < 0
    }
    return false
}

private fun partsOf(version: String?): List<Double>? =
    version?.let { VERSION.find(it) }?.groupValues?.get(1)?.split('.')?.map { it.toDouble() }
