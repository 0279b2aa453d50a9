import { MASK } from '../../core/runs/redaction/mask-ranges.ts'
import { createRedactor } from '../../core/runs/redaction/redact.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { JudgeContext } from '../../core/testing/expectations/expectation.ts'
import type { CaseContext } from '../kinds/case-performer.ts'
import { loadPerformer } from '../kinds/index.ts'

/** A judge gets no answers of a cassette. */
const NO_NETWORK = { allowNetwork: false, answerer: undefined }

/** Creates the services of the judges of one case. */
export function createJudgeContext(context: CaseContext): Omit<JudgeContext, 'snapshots'> {
  return {
    revealsSecret(text, values) {
      return text.includes(MASK) || createRedactor([...values]).text(text) !== text
    },
    async runProgram(program, stdin) {
      const perform = await loadPerformer('command')
      const command = program.map((word) => quoteShellWord(word)).join(' ')
      const { call, testCase, folder } = context
      const bare = { files: new Map(), fakes: new Map(), blobs: new Map(), secrets: new Map() }
      return await perform(
        { kind: 'command', command, stdin },
        {
          ...context,
          folder: `${folder}-judge`,
          needs: new Set(),
          testCase: { ...testCase, ...bare },
          call: { ...call, secrets: undefined, watchesNetwork: false, ...NO_NETWORK },
        },
      )
    },
  }
}
