import { SkillsError } from '../../../errors.ts'
import { sourceError } from '../check-address.ts'
import type { RemoteKind } from '../source-kind.ts'
import type { OciPlace } from '../source-place.ts'

const FORMS = 'oci:host/repository:1.0.0 or oci:host/repository@sha256:…'
const HOST = /^(?:\[[0-9a-f:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?$/
const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const REFERENCE = /^(?:@(sha256:[0-9a-f]{64})|:(\w[\w.-]{0,127}))$/

/** An artifact of an OCI registry: `oci:host[:port]/repository`, with `:tag` or `@sha256:…`. */
export const oci: RemoteKind<OciPlace> = {
  type: 'oci',
  forms: { oci: FORMS },
  parse(text) {
    const { registry, path } = splitRegistry(text)
    const repository = /^[^:@]*/.exec(path)?.[0] ?? ''
    const [, digest, tag] = REFERENCE.exec(path.slice(repository.length)) ?? []
    const reference = digest ?? tag
    if (reference !== undefined && isOciHost(registry) && PATH.test(repository)) {
      return { type: 'oci', registry, repository, reference }
    }
    const problem = 'expected oci:host/repository:tag or oci:host/repository@sha256:…'
    throw sourceError(text, problem, FORMS)
  },
  hasPinned: (typed, pinned) =>
    pinned.type === 'oci' && formatRepository(pinned) === formatRepository(typed),
  identify: formatRepository,
  formatTrust: (place) => `oci:${formatRepository(place)}`,
  trustPatterns: { oci: 'oci:registry.example/name' },
  isCaseless: true,
  describeForeign: () => ({ problem: 'the format has no OCI registries' }),
  async fetch(place, options) {
    const { fetchOci } = await import('../oci/fetch-oci.ts')
    return await fetchOci(place, options)
  },
  publish: {
    schemes: { 'oci:': 'oci:ghcr.io/owner/name' },
    options: [],
    async open({ text, env }) {
      const { openOciTarget } = await import('../../publishing/targets/oci/oci-target.ts')
      const { openRegistryAccess } = await import('../../registries/credentials/open-access.ts')
      return openOciTarget(parseTarget(text), openRegistryAccess(env))
    },
  },
}

function splitRegistry(text: string): { registry: string; path: string } {
  const [registry = '', ...rest] = text.slice('oci:'.length).split('/')
  return { registry, path: rest.join('/') }
}

/** Parses a target, which has no tag: the version of a skill is the tag. */
function parseTarget(text: string): Pick<OciPlace, 'registry' | 'repository'> {
  const { registry, path } = splitRegistry(text)
  if (isOciHost(registry) && PATH.test(path)) return { registry, repository: path }
  throw new SkillsError('usage/invalid', `"${text}" is not a repository of a registry`, {
    hint: 'Write it as oci:host/owner/name, in lower case and without a tag',
  })
}

/** True for a host that can be in an address: `1.2.3.999` and port 99999 cannot. */
function isOciHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`https://${text}/`)
}

function formatRepository({ registry, repository }: OciPlace): string {
  return `${registry}/${repository}`
}
