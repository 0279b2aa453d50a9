import { isText } from '../../../util/mime.ts'
import { countField, filledTableField, nameField } from '../document/field.ts'
import { describeBytes } from './describe-bytes.ts'
import { defineExpectation } from './expectation.ts'
import { judgeText, TEXT_CONDITIONS } from './text-condition.ts'

export const BLOB = defineExpectation({
  name: 'blob',
  summary: 'A blob that the run created; with count, the number of blobs that fit',
  example: '{ blob = { kind = "image/svg+xml", contains = "<svg" } }',
  field: filledTableField('A blob that the run created', {
    kind: nameField('MIME type'),
    ...TEXT_CONDITIONS,
    count: countField('Number of blobs that fit (default: at least one)'),
  }),
  needs: () => ['blobs'],
  judge({ kind, count, ...condition }, { blobs }) {
    const ofKind = blobs.filter((each) => kind === undefined || each.kind === kind)
    const judgements = ofKind.map(({ bytes }) => {
      if (Object.keys(condition).length === 0) return { isMet: true, expected: 'a blob' }
      if (!isText(bytes))
        return { isMet: false, expected: 'a blob of text', got: describeBytes(bytes) }
      return judgeText('the blob', bytes.toString('utf8'), condition)
    })
    const fitting = judgements.filter(({ isMet }) => isMet).length
    if (count !== undefined) {
      const expected = `${count} blobs that fit`
      return { isMet: fitting === count, expected, got: String(fitting) }
    }
    const [only, second] = judgements
    if (only && !second) return only
    const got = blobs.length === 0 ? 'none' : blobs.map((each) => each.kind).join(', ')
    return {
      isMet: fitting > 0,
      expected: `a blob${kind === undefined ? '' : ` of type ${kind}`}`,
      got,
    }
  },
})
