/**
 * Environment that programs and servers of a test inherit: PATH, the folder for temporary files and the fast path switch.
 * SKILLS_FAST_PATHS=false runs a whole suite on the general path.
 */
export const INHERITED_ENV: Record<string, string> = Object.fromEntries(
  ['PATH', 'TMPDIR', 'SKILLS_FAST_PATHS'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

export const INHERITS_FAST_PATHS = INHERITED_ENV['SKILLS_FAST_PATHS'] !== 'false'
