package android.content;

/** A fake for tests. */
public class Intent {
    public static final int FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY = 0x00100000;
    private final String action;
    private ComponentName component;
    public String fakeUrl;
    public int fakeFlags;

    public Intent() {
        this(null);
    }

    public Intent(String action) {
        this.action = action;
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
