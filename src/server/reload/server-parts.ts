import type { LoadedConfig } from '../../core/config/load-config.ts'
import { compareSkills, type SkillsState } from '../watch/compare-skills.ts'
import type { TokenBook } from '../auth/tokens.ts'
import { ReloadableTokens } from '../auth/reloadable-tokens.ts'
import type { ServerContext } from '../server-context.ts'
import { applyLimits, applyLiveSettings } from './live-settings.ts'
import type { ReloadPart } from './reloader.ts'
import { stampFollowed } from './stamp-files.ts'

/** Sources from which a server loads its parts again. */
export interface ReloadSources {
  /** Files of the configuration, which may be missing. */
  configuration?: { files: readonly string[]; load: () => Promise<LoadedConfig> } | undefined
  tokens?: TokenSource | undefined
  policy?: ReloadPart | undefined
}

/** Tokens of a file, or of a source that reports its changes. */
export interface TokenSource {
  file?: string
  follow?: ReloadPart['follow']
  /** Undefined if no token is required. */
  load: () => Promise<TokenBook | undefined>
}

interface ReloadHooks {
  /** Applies the trusted hosts and origins. */
  applyTrust: () => void
  hasSeveralCallers: () => boolean
}

/** Lists the parts of a server that can be loaded again. */
export function listReloadParts(
  context: ServerContext,
  sources: ReloadSources,
  { applyTrust, hasSeveralCallers }: ReloadHooks,
): ReloadPart[] {
  const { configuration, tokens, policy } = sources
  const parts: ReloadPart[] = []
  if (configuration) {
    const { files, load } = configuration
    parts.push({
      name: 'configuration',
      stamp: () => stampFollowed(files),
      async load() {
        const report = applyLiveSettings(context, await load(), hasSeveralCallers())
        applyTrust()
        return report
      },
    })
  }
  if (tokens) parts.push(createTokensPart(context, tokens, hasSeveralCallers))
  if (policy) parts.push(policy)
  parts.push({ name: 'skills', load: async () => await reloadSkills(context) })
  return parts
}

const NO_TOKENS: TokenBook = { find: () => undefined }

function createTokensPart(
  context: ServerContext,
  { file, follow, load }: TokenSource,
  hasSeveralCallers: () => boolean,
): ReloadPart {
  return {
    name: 'tokens',
    ...(file !== undefined && { stamp: () => stampFollowed([file]) }),
    ...(follow && { follow }),
    async load() {
      const loaded = await load()
      if (!loaded) return { changes: [] }
      context.tokens ??= new ReloadableTokens(NO_TOKENS)
      const { tokens } = context
      if (!(tokens instanceof ReloadableTokens)) return { changes: [] }
      const { added, removed } = tokens.replace(loaded)
      context.mcp?.dropCallers(removed)
      applyLimits(context, hasSeveralCallers())
      return {
        changes: [
          ...added.map((name) => `The token of "${name}" is new`),
          ...removed.map((name) => `The token of "${name}" is no longer accepted`),
        ],
      }
    },
  }
}

async function reloadSkills({ runtime, mcp, consoleEvents }: ServerContext) {
  const { repository } = runtime
  const readState = async (): Promise<SkillsState> => ({
    entries: await repository.list(),
    problems: await repository.problems(),
  })
  const before = await readState()
  await repository.refresh()
  const after = await readState()
  if (before.entries !== after.entries) {
    mcp?.notifySkillsChanged()
    consoleEvents.reportSkills()
  }
  const changes = compareSkills(before, after)
  const known = new Set(changes.map(({ message }) => message))
  const earlier = new Map(before.entries.map((entry) => [entry.dir, entry]))
  // The files of a skill may have changed without the facts that are listed.
  for (const entry of after.entries) {
    const old = earlier.get(entry.dir)
    if (old === undefined || old === entry) continue
    const message = `${entry.name}@${entry.version} has changed`
    if (!known.has(message)) changes.push({ level: 'info', message })
  }
  return {
    changes: changes.map(({ message, reason }) => (reason ? `${message}: ${reason}` : message)),
  }
}
