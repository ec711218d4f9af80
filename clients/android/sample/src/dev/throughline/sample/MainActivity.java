package dev.throughline.sample;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;
import dev.throughline.Consent;
import dev.throughline.CreatedLink;
import dev.throughline.LinkException;
import dev.throughline.NewLink;
import dev.throughline.Revenue;
import dev.throughline.android.CreateLinkCallback;
import dev.throughline.android.Throughline;
import java.util.Collections;

/** Shows the newest link and the attribution, and calls the client by buttons. */
public final class MainActivity extends Activity {
    private final Throughline throughline = Throughline.get();
    private LinearLayout column;
    private TextView link;
    private TextView state;
    private AutoCloseable listening;

    @Override
    protected void onCreate(Bundle savedInstanceState) {
        super.onCreate(savedInstanceState);
        column = new LinearLayout(this);
        column.setOrientation(LinearLayout.VERTICAL);
        link = addText("No link yet");
        state = addText("Waiting for the attribution");
        addButton("Track a purchase", this::trackPurchase);
        addButton("Claim the clipboard", () -> throughline.claimClipboard(claimed -> link.setText("Claimed: " + claimed)));
        addButton("Invite a friend", this::invite);
        addButton("Agree", () -> throughline.setConsent(Consent.GRANTED, () -> state.setText("Agreed")));
        addButton("Refuse", () -> throughline.setConsent(Consent.DENIED, () -> state.setText("Refused")));
        addButton("Explain", () -> throughline.explain(told -> state.setText(told.toString())));
        addButton("Reset", () -> throughline.reset(() -> state.setText("Erased")));
        ScrollView scroll = new ScrollView(this);
        scroll.addView(column);
        setContentView(scroll);
        listening = throughline.onDeepLink(opened -> link.setText(opened.getPath() + " " + opened.getParams()));
        throughline.firstOpen(attribution -> state.setText(attribution.toString()));
    }

    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        throughline.handleIntent(intent);
    }

    @Override
    protected void onDestroy() {
        super.onDestroy();
        try {
            listening.close();
        } catch (Exception cause) {
            throw new IllegalStateException(cause);
        }
    }

    private void trackPurchase() {
        throughline.track("purchase", Collections.singletonMap("items", 2), new Revenue("19.99", "EUR", "order-1"));
    }

    private void invite() {
        throughline.createLink(
                new NewLink("/invite/42"),
                new CreateLinkCallback() {
                    @Override
                    public void onCreated(CreatedLink created) {
                        Intent share = new Intent(Intent.ACTION_SEND).setType("text/plain");
                        share.putExtra(Intent.EXTRA_TEXT, created.getShortUrl());
                        startActivity(Intent.createChooser(share, null));
                    }

                    @Override
                    public void onFailed(LinkException cause) {
                        link.setText(cause.getMessage());
                    }
                });
    }

    private TextView addText(String text) {
        TextView view = new TextView(this);
        view.setText(text);
        column.addView(view);
        return view;
    }

    private void addButton(String label, Runnable action) {
        Button button = new Button(this);
        button.setText(label);
        button.setOnClickListener(view -> action.run());
        column.addView(button);
    }
}
