/**
 * The command that shows a run of a fleet. A node does not know the address by which callers reach a front:
 * "skills" replaces "<url>" by the one that it used.
 */
export function formatShowRun(run: string): string {
  return `skills runs show ${run} --url <url>`
}
