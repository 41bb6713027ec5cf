import { signal } from "@preact/signals";

/** Whether the first steps are on the screen although consent is given by now: the first page is still to come. */
export const settingUp = signal(false);
