/**
 * True unless the variable of the environment turns off every faster second implementation.
 * bin/skills.js reads it as well.
 */
export function allowsFastPaths(env: Readonly<Record<string, string | undefined>>): boolean {
  return !/^(?:0|false)$/i.test(env['SKILLS_FAST_PATHS'] ?? '')
}
