import { randomUUID } from 'node:crypto'
import {
  findSkillLanguage,
  SKILL_LANGUAGE_NAMES,
} from '../../core/skills/manifest/skill-languages.ts'
import { SkillsError } from '../../errors.ts'
import type { AgentSession } from '../agent-session.ts'
import type { ToolAnswer } from '../tool-call.ts'
import type { ExtractedCode } from './extract-code.ts'

export interface RunExtractedOptions {
  /** Id of the call in answers and artifacts. Default: a random one. */
  id?: string
  /** Skills that the code may import. */
  mountSkills?: readonly string[]
  timeoutMs?: number
  signal?: AbortSignal
}

/**
 * Runs a block of an answer with the session's `run_code`: in a sandbox, under the policy. Only the
 * program starts it, never an answer by itself. Printed text is in `logs_preview`; if the code
 * defines `main` and does not call it, `main` is called, and its result is the `output`.
 */
export async function runExtractedCode(
  session: AgentSession,
  block: Pick<ExtractedCode, 'language' | 'code'> & { isClosed?: boolean },
  { id = `code-${randomUUID()}`, mountSkills = [], timeoutMs, signal }: RunExtractedOptions = {},
): Promise<ToolAnswer> {
  if (!session.hasTool('run_code')) {
    throw cannotRunError('the session has no tool run_code', 'Add "run_code" to its tools')
  }
  if (block.isClosed === false) {
    throw cannotRunError('the answer ends inside it', 'Ask the model for the complete code')
  }
  const code = {
    language: block.language,
    code: block.code + createEntrypoint(block),
    entrypoint: ENTRYPOINT,
    ...(mountSkills.length > 0 && { mount_skills: mountSkills }),
    ...(timeoutMs !== undefined && { limits: { timeout_ms: timeoutMs } }),
  }
  return await session.call({ id, name: 'run_code', arguments: code }, signal ? { signal } : {})
}

const ENTRYPOINT = 'run_extracted_code'

/** A function for `run_code` to call, because code in answers is mostly a script. */
function createEntrypoint({ language, code }: Pick<ExtractedCode, 'language' | 'code'>): string {
  switch (findSkillLanguage(language)?.name) {
    case 'python': {
      const isCalled = /^(?:\w[\w, ]*=\s*)?main\(/m.test(code)
      return isCalled ? PYTHON_EMPTY : PYTHON_MAIN
    }
    case 'node':
    case 'typescript': {
      const isCalled = /^(?:void\s+|await\s+|\w[\w ]*=\s*(?:await\s+)?)?main\(/m.test(code)
      const call = isCalled ? 'null' : "typeof main === 'function' ? (await main()) ?? null : null"
      const isModule = /^\s*(?:import|export)\b/m.test(code)
      const isCommonJs = !isModule && /\brequire\(|^\s*(?:module\.)?exports\b/m.test(code)
      const ending = isCommonJs ? `module.exports.${ENTRYPOINT} = ${ENTRYPOINT}\n` : ''
      return `\nasync function ${ENTRYPOINT}() { return ${call} }\n${ending}`
    }
    case 'shell': {
      const isCalled = /^main(?:\s+[^({\s]|\s*$)/m.test(code)
      const body = isCalled ? ':' : 'if declare -F main >/dev/null; then main >&2; fi'
      return `\n${ENTRYPOINT}() { ${body}; }\n`
    }
    default:
      throw cannotRunError(
        `its language is "${language.slice(0, 40)}"`,
        `Pass code in one of ${SKILL_LANGUAGE_NAMES.join(', ')}`,
      )
  }
}

const PYTHON_EMPTY = `\n\ndef ${ENTRYPOINT}(args):\n    return None\n`
const PYTHON_MAIN = `

def ${ENTRYPOINT}(args):
    import inspect

    found = globals().get("main")
    if not callable(found):
        return None
    return found(args) if inspect.signature(found).parameters else found()
`

function cannotRunError(reason: string, hint: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot run the code block: ${reason}`, { hint })
}
