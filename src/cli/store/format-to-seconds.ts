/** Drops fractions of seconds: `2026-11-21T08:00:00Z`. */
export function formatToSeconds(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z')
}
