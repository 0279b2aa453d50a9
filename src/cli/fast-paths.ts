/**
 * True if responses may be sent before the configuration is read. The same variable sets the key
 * `fast_paths`, which controls every other fast path; bin/skills.js reads it as well.
 */
export function allowsFastPaths(env: Readonly<Record<string, string | undefined>>): boolean {
  return !/^(?:0|false)$/i.test(env['SKILLS_FAST_PATHS'] ?? '')
}
