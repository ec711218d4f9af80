package android.content;

import java.util.HashMap;
import java.util.Map;

/** A fake for tests. */
public class Intent {
    public static final int FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY = 0x00100000;
    private final String action;
    private ComponentName component;
    public String fakeUrl;
    public int fakeFlags;
    /** Of classes that the app lacks. */
    public boolean fakeIsBroken;
    private final Map<String, String> extras = new HashMap<>();

    public Intent() {
        this((String) null);
    }

    public Intent(String action) {
        this.action = action;
    }

    public Intent(Intent other) {
        this(other.action);
        component = other.component;
        fakeUrl = other.fakeUrl;
        fakeFlags = other.fakeFlags;
        extras.putAll(other.extras);
    }

    public String getStringExtra(String name) {
        if (fakeIsBroken) throw new IllegalStateException("ClassNotFoundException when unmarshalling");
        return extras.get(name);
    }

    public Intent putExtra(String name, String value) {
        extras.put(name, value);
        return this;
    }

    public String getAction() {
        return action;
    }

    public Intent setComponent(ComponentName component) {
        this.component = component;
        return this;
    }

    public ComponentName getComponent() {
        return component;
    }

    public int getFlags() {
        return fakeFlags;
    }

    public String getDataString() {
        return fakeUrl;
    }
}
