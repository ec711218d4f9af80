package android.content;

import fakes.FakePhone;

/** A fake for tests. */
public class ClipData {
    public int getItemCount() {
        return 1;
    }

    public Item getItemAt(int index) {
        return new Item();
    }

    public static class Item {
        public CharSequence getText() {
            return FakePhone.get().clipboard;
        }
    }
}
