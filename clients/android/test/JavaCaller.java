package dev.throughline.android.test;

import dev.throughline.Consent;
import dev.throughline.CreatedLink;
import dev.throughline.LinkException;
import dev.throughline.NewLink;
import dev.throughline.Revenue;
import dev.throughline.android.CreateLinkCallback;
import dev.throughline.android.Throughline;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An app in Java. */
final class JavaCaller {
    final List<String> heard = new CopyOnWriteArrayList<>();
    final List<String> threads = new CopyOnWriteArrayList<>();

    void callAll(Throughline client, String url) throws Exception {
        AutoCloseable listening = client.onDeepLink(link -> {});
        client.track("opened");
        client.track("bought", Collections.singletonMap("items", 2), new Revenue("19.99", "EUR"));
        client.identify("user-17");
        client.logout();
        client.handleUrl(url, link -> hear("handleUrl"));
        client.firstOpen(attribution -> hear("firstOpen"));
        client.claim("nothing", link -> hear("claim"));
        client.claimClipboard(link -> hear("claimClipboard"));
        client.explain(told -> hear("explain"));
        client.setConsent(Consent.GRANTED, () -> hear("setConsent"));
        client.createLink(
                new NewLink("/invite/42"),
                new CreateLinkCallback() {
                    @Override
                    public void onCreated(CreatedLink link) {
                        hear("createLink");
                    }

                    @Override
                    public void onFailed(LinkException cause) {
                        hear("createLink");
                    }
                });
        client.explain(told -> {
            throw new IllegalStateException("a mistake of the app");
        });
        client.reset(() -> hear("reset"));
        listening.close();
    }

    private void hear(String call) {
        threads.add(Thread.currentThread().getName());
        heard.add(call);
    }
}
