package android.content;

import fakes.FakePhone;

/** A fake for tests. */
public class ClipDescription {
    public boolean hasMimeType(String type) {
        return type.equals("text/*") ? FakePhone.get().isClipText : false;
    }
}
