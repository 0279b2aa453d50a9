import type { AgentLoads, LoadedPart } from './session-state.ts'
import { findSkill } from './load-skill.ts'
import { renderLoadedText } from './render-text.ts'
import { readTexts, type SkillText } from './skill-texts.ts'
import { toSkillsError } from '../../errors.ts'
import type { SkillReader } from './skill-reader.ts'

/**
 * The texts of what is loaded. A text that was read when it was loaded stays as it was, so requests
 * do not change while somebody edits the skill; after a restart it is read again.
 */
export class LoadedTexts {
  #texts = new Map<string, SkillText>()
  #rendered = new WeakMap<LoadedPart, string>()
  #prepared: AgentLoads | undefined
  /** What could not be read just now, and is tried again with the next request. */
  #failed = new Set<string>()

  /** Keeps what was just read. */
  add(skill: string, texts: readonly SkillText[]): void {
    for (const text of texts) this.#texts.set(getTextKey(skill, text.doc), text)
    this.#rendered = new WeakMap()
    this.#prepared = undefined
  }

  /** Reads what is loaded and not here; what nobody asks for any more goes. */
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

  /** As a request shows it. */
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
  /** Whether another try may give it: that a skill is gone is certain, that reading fails is not. */
  canRetry: boolean
}

/** What cannot be read any more says so: a model that was told of it must not look for it. */
async function rereadPart(part: LoadedPart, repository: SkillReader): Promise<RereadResult> {
  try {
    const { entry } = await findSkill(repository, part.skill)
    const texts = await readTexts(repository, entry, part.doc === null ? [] : [part.doc])
    const found = texts.find((text) => text.doc === part.doc)
    return { text: found ?? createUnreadableText(part, 'it is gone'), canRetry: false }
  } catch (thrown) {
    const { code, message } = toSkillsError(thrown)
    const isCertain = PERMANENT_ERROR.test(code)
    return {
      text: createUnreadableText(part, isCertain ? message : 'reading it failed'),
      canRetry: !isCertain,
    }
  }
}

/** What is about the skill and not about this machine, whose paths a model has no business with. */
const PERMANENT_ERROR = /^(?:skill|params)\/|^file\/too-large$/

function createUnreadableText({ doc, digest }: LoadedPart, reason: string): SkillText {
  return { doc, digest, text: `(It cannot be read any more: ${reason})` }
}

function getTextKey(skill: string, doc: string | null): string {
  return doc === null ? skill : `${skill}\0${doc}`
}
