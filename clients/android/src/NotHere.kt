package dev.throughline.android

import dev.throughline.Attribution
import dev.throughline.Method

/** What a further process of the app is told. */
internal val NOT_HERE: Attribution =
    Attribution(
        isPending = true,
        isAttributed = false,
        method = Method.ORGANIC,
        installId = null,
        clickId = null,
        campaignId = null,
        confidence = null,
        link = null,
        metadata = emptyMap(),
    )
