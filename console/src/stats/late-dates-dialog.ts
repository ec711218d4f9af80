import { lateDialog } from '../components/late-dialog.tsx';

export const DatesDialog = lateDialog(async () => (await import('./dates-dialog.tsx')).DatesDialog);
