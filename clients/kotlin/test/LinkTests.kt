package dev.throughline.test

import dev.throughline.LinkReader
import dev.throughline.hostOf
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNull

internal fun Tests.linkTests() {
    val links = LinkReader(listOf("Go.example.com", "localhost:8080"))
    fun paramsOf(url: String) = links.read(url)?.local?.params

    test("links of the app are those of its hosts, at any port") {
        val own = listOf(LINK, "HTTPS://GO.EXAMPLE.COM/l/a", "http://go.example.com:8443/x", "http://localhost:8080/x")
        for (url in own) assertEquals(url, links.read(url)?.local?.url)
        assertEquals("/", links.read(BASE_URL)?.local?.path)
        assertEquals("/a//b", links.read("$BASE_URL/a//b#top")?.local?.path)
    }

    test("URLs of others are none of the app's, whatever they imitate") {
        val others =
            listOf("https://go.example.com@evil.example/l/a", "https://evil.example/go.example.com") +
                listOf("https://go.example.com.evil.example/", "http://localhost/x", "http://localhost:80801/x") +
                listOf("javascript://go.example.com/", "mailto:a@b.c", "shop://pay?token=2", "", "/l/a") +
                listOf("ftp://go.example.com/", " https://go.example.com/", "https:go.example.com/x")
        for (url in others) assertNull(links.read(url), url)
    }

    test("a link with the app's own scheme counts with the click ID of the landing page") {
        val opened = links.read("shop://shoes/42?svc_click_id=01985f2e&size=43")
        assertEquals("01985f2e", opened?.clickId)
        assertEquals("/shoes/42", opened?.local?.path)
        assertEquals<Any?>(mapOf("size" to "43"), opened?.local?.params)
    }

    test("a link of the app's own scheme keeps its case and characters, and only `/` and `?` stay escaped") {
        val paths =
            mapOf("Shoes/Red" to "/Shoes/Red", "/shoes/42" to "/shoes/42", "" to "/", "/" to "/") +
                mapOf("Shop:8080/x" to "/Shop:8080/x", "Me@Home/x" to "/Me@Home/x", "shoes//42/" to "/shoes//42/") +
                mapOf("caf%C3%A9/r%20d" to "/café/r d", "a%2Fb/c%3fd" to "/a%2Fb/c%3fd", "a+b" to "/a+b") +
                mapOf("50%/x" to "/50%/x", "%ff/%C3" to "/%ff/%C3", "%C3%A9%2F%20" to "/é%2F ")
        for ((written, path) in paths)
            assertEquals(path, links.read("SHOP://$written?svc_click_id=1#top")?.local?.path, written)
    }

    test("what only the URL told is unresolved, and no app is sent to the path of a short link") {
        val paths =
            mapOf("/l/red" to "/", "/l/" to "/", "/shop/l/red" to "/", "/shop/l/red/" to "/") +
                mapOf("" to "/", "/shoes/42" to "/shoes/42", "/lx/red" to "/lx/red")
        for ((path, expected) in paths) {
            val link = links.read("$BASE_URL$path?size=43")?.local
            assertEquals(expected to true, link?.path to link?.isUnresolved, path)
            assertEquals<Any?>(mapOf("size" to "43"), link?.params)
        }
        assertEquals(false, links.read("shop://shoes/42?svc_click_id=1")?.local?.isUnresolved)
    }

    test("query values are decoded, and kept as they are if they are not encoded well") {
        val expected = mapOf("a" to "b c=é&", "empty" to "", "flag" to "")
        assertEquals<Any?>(expected, paramsOf("$LINK?a=b+c=%C3%A9%26&empty=&flag&&=x"))
        for (bad in listOf("%", "%4", "%zz", "%+1", "%ff", "%C3", "a%ed%a0%80"))
            assertEquals<Any?>(mapOf("a" to bad), paramsOf("$LINK?a=$bad"), bad)
        assertEquals<Any?>(mapOf("a" to "\ud83d\ude00é"), paramsOf("$LINK?a=%F0%9F%98%80é"))
    }

    test("the token is found in pasted text, and no other URL is") {
        val token = "$LINK?svc_click_id=t1"
        for (text in listOf(token, "see $token and more", "https://evil.example/?svc_click_id=2 \n$token\u00a0x"))
            assertEquals(token, links.findToken(text))
        for (text in listOf("", "my password", LINK, "$LINK?svc_click_id=", "https://evil.example/?svc_click_id=2"))
            assertNull(links.findToken(text), text)
    }

    test("a base URL is an HTTP URL") {
        assertEquals("localhost:8080", hostOf("http://localhost:8080/base"))
        for (url in listOf("", "go.example.com", "ftp://a")) assertFailsWith<IllegalArgumentException> { hostOf(url) }
    }
}
