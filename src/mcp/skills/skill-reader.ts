import { hideDeniedSkills } from '../../core/methods/hide-denied-skills.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { listNewestVersions } from '../../core/skills/repository/select-version.ts'
import { SkillRecords } from '../../core/skills/repository/skill-records.ts'
import { signSkill } from '../../core/skills/repository/skill-signature.ts'
import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import { startWorkSlices } from '../../util/slices/work-slices.ts'
import type { McpOptions } from '../mcp-options.ts'
import { buildSkill, type BuiltSkill, type ExtensionSkill } from './build-skill.ts'
import { buildSnapshot, type SkillSnapshot } from './snapshot.ts'

const RECORD_FORMAT = 1

/** The next snapshot includes its new state, if that counts. */
const CHANGED_SKILL: BuiltSkill = {
  obstacles: ['its files changed after they were loaded'],
  isComplete: false,
}

/** Reads all skills of a runtime; one whose files are unchanged is not read again. */
export class McpSkillReader {
  #runtime: McpOptions['runtime']
  #repository: McpOptions['runtime']['repository']
  #onNotice: McpOptions['onNotice']
  #records: SkillRecords<BuiltSkill>
  #reported = new Map<string, string>()
  #latest: { entries: readonly SkillEntry[]; snapshot: SkillSnapshot } | undefined

  constructor(runtime: McpOptions['runtime'], onNotice: McpOptions['onNotice']) {
    const { repository, config, cacheDir } = runtime
    this.#runtime = runtime
    this.#repository = repository
    this.#onNotice = onNotice
    const { roots } = config
    this.#records = new SkillRecords({ cacheDir, name: 'mcp', format: RECORD_FORMAT, roots })
  }

  async read(): Promise<SkillSnapshot> {
    await this.#records.load()
    // The guide is offered as a prompt.
    // All callers share the snapshot.
    const { repository } = await hideDeniedSkills(this.#runtime, 'every caller')
    const entries = removeGuide(await repository.list())
    if (this.#repository.isTracked && this.#latest?.entries === entries) {
      return this.#latest.snapshot
    }
    const carried: ExtensionSkill[] = []
    const omitted = new Map<string, string>()
    const dirs = new Set<string>()
    let isComplete = true
    const yieldIfDue = startWorkSlices()
    // Clients get the newest version of each skill.
    for (const entry of listNewestVersions(entries)) {
      const built = await this.#readSkill(entry)
      dirs.add(entry.dir)
      if (built.offered) carried.push(built.offered)
      const [reason] = built.obstacles
      if (reason !== undefined) omitted.set(entry.name, reason)
      isComplete &&= built.isComplete
      await yieldIfDue()
    }
    this.#report(omitted)
    const snapshot = buildSnapshot(carried)
    // Skills that could not be read are tried again.
    this.#latest = isComplete ? { entries, snapshot } : undefined
    void this.#records.save(dirs)
    return snapshot
  }

  async #readSkill(entry: SkillEntry): Promise<BuiltSkill> {
    const signature = this.#repository.signature(entry)
    const known = this.#records.get(entry.dir, signature)
    if (known) return known
    const built = await buildSkill(entry)
    if (signSkill(entry.dir).text !== signature) return CHANGED_SKILL
    if (built.isComplete) this.#records.set(entry.dir, signature, built)
    return built
  }

  #report(omitted: Map<string, string>): void {
    for (const [name, reason] of omitted) {
      if (this.#reported.get(name) !== reason) {
        this.#onNotice(`${name} is not offered over MCP`, reason)
      }
    }
    this.#reported = omitted
  }
}
