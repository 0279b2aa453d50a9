import type { AgentLoads, LoadedPart } from './session-state.ts'
import { findSkill } from './load-skill.ts'
import { renderLoadedText } from './render-text.ts'
import { readTexts, type SkillText } from './skill-texts.ts'
import { toSkillsError } from '../../errors.ts'
import type { SkillReader } from './skill-reader.ts'

/**
 * Texts of the loaded skills. A text keeps the content from when it was loaded, so requests do not
 * change while the skill is edited; after a restart it is read again.
 */
export class LoadedTexts {
  #texts = new Map<string, SkillText>()
  #rendered = new WeakMap<LoadedPart, string>()
  #prepared: AgentLoads | undefined
  /** Texts that could not be read; the next request reads them again. */
  #failed = new Set<string>()

  add(skill: string, texts: readonly SkillText[]): void {
    for (const text of texts) this.#texts.set(getTextKey(skill, text.doc), text)
    this.#rendered = new WeakMap()
    this.#prepared = undefined
  }

  /** Reads missing texts of the loads, and drops texts that are no longer loaded. */
  async prepare(loads: AgentLoads, repository: SkillReader): Promise<void> {
    if (this.#prepared === loads && this.#failed.size === 0) return
    for (const key of this.#failed) this.#texts.delete(key)
    this.#failed.clear()
    const wanted = new Set(loads.parts.map((part) => getTextKey(part.skill, part.doc)))
    for (const key of this.#texts.keys()) if (!wanted.has(key)) this.#texts.delete(key)
    for (const part of loads.parts) {
      if (this.#texts.has(getTextKey(part.skill, part.doc))) continue
      const { text, canRetry: mayCome } = await rereadPart(part, repository)
      this.add(part.skill, [text])
      if (mayCome) this.#failed.add(getTextKey(part.skill, part.doc))
    }
    this.#prepared = loads
  }

  /** Renders a part for a request. */
  render(part: LoadedPart): string {
    let rendered = this.#rendered.get(part)
    if (rendered === undefined) {
      const text = this.#texts.get(getTextKey(part.skill, part.doc))?.text ?? ''
      rendered = renderLoadedText(part.skill, { doc: part.doc, text })
      this.#rendered.set(part, rendered)
    }
    return rendered
  }
}

interface RereadResult {
  text: SkillText
  /** True if reading may succeed later: a missing skill is permanent, a read error is not. */
  canRetry: boolean
}

/**
 * An unreadable text is replaced by a notice: a model that knows of the text must not search for
 * it.
 */
async function rereadPart(part: LoadedPart, repository: SkillReader): Promise<RereadResult> {
  try {
    const { entry } = await findSkill(repository, part.skill)
    const texts = await readTexts(repository, entry, part.doc === null ? [] : [part.doc])
    const found = texts.find((text) => text.doc === part.doc)
    return { text: found ?? createUnreadableText(part, 'it was removed'), canRetry: false }
  } catch (thrown) {
    const { code, message } = toSkillsError(thrown)
    const isCertain = PERMANENT_ERROR.test(code)
    return {
      text: createUnreadableText(part, isCertain ? message : 'reading failed'),
      canRetry: !isCertain,
    }
  }
}

/**
 * Errors that concern the skill. Other errors contain paths of this machine, which a model must not
 * see.
 */
const PERMANENT_ERROR = /^(?:skill|params)\/|^file\/too-large$/

function createUnreadableText({ doc, digest }: LoadedPart, reason: string): SkillText {
  return { doc, digest, text: `(This text is not available any more: ${reason})` }
}

function getTextKey(skill: string, doc: string | null): string {
  return doc === null ? skill : `${skill}\0${doc}`
}
