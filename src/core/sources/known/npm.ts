import { sourceError } from '../check-address.ts'
import type { RemoteKind } from '../source-kind.ts'
import type { NpmPlace } from '../source-place.ts'

const FORMS = 'npm:package, npm:@scope/package@1.0.0 or npm:package@latest#skill'
const SOURCE =
  /^npm:((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([0-9A-Za-z][\w.+-]{0,127}))?(?:#([A-Za-z0-9][\w.-]{0,127}))?$/

/** A package of a registry of npm: `npm:package[@version][#skill]`. */
export const npm: RemoteKind<NpmPlace> = {
  type: 'npm',
  forms: { npm: FORMS },
  parse(text) {
    const [, name, version, skill] = SOURCE.exec(text) ?? []
    if (name !== undefined) return { type: 'npm', package: name, version, skill }
    const problem = 'expected npm:package@version#skill, with an exact version or a tag'
    throw sourceError(text, problem, FORMS)
  },
  hasPinned: (typed, pinned) => pinned.type === 'npm' && pinned.package === typed.package,
  identify: ({ package: name, skill }) => `${name} ${skill ?? ''}`,
  formatTrust: ({ package: name }) => `npm:${name}`,
  trustPatterns: { npm: 'npm:@scope/package' },
  describeForeign: () => ({
    problem: 'the format has packages of node_modules only, which npm installs',
  }),
  async fetch(place, options) {
    const { fetchNpm } = await import('../npm/fetch-npm.ts')
    return await fetchNpm(place, options)
  },
  async findWithdrawal(place, version, options) {
    const { findDeprecation } = await import('../npm/fetch-npm.ts')
    return await findDeprecation(place, version, options)
  },
  publish: {
    schemes: { 'npm:': 'npm:@scope/package' },
    options: ['tag'],
    async open({ rest, env, options: { tag } }) {
      const { openNpmTarget } = await import('../../publishing/targets/npm/npm-target.ts')
      const { openRegistryAccess } = await import('../../registries/credentials/open-access.ts')
      return openNpmTarget({ packageName: rest, tag }, openRegistryAccess(env))
    },
  },
}
