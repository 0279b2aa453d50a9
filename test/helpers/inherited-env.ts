/**
 * What programs and servers of a test get of this process's environment: where programs lie, and the
 * switch of fast paths. SKILLS_FAST_PATHS=false runs a whole suite the general way.
 */
export const INHERITED_ENV: Record<string, string> = Object.fromEntries(
  ['PATH', 'SKILLS_FAST_PATHS'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
