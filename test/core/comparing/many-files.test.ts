import { expect, it } from 'vitest'
import { compareTrees } from '../../helpers/compare.ts'

const createFiles = (count: number, extension: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `code/a${String(at).padStart(4, '0')}.${extension}`,
      '',
    ]),
  )

it.each(['py', 'js'])(
  'code behind many files of .%s is reported as not parsed',
  async (extension) => {
    const last = { [`code/z.${extension}`]: 'x = 1\n' }
    const few = await compareTrees({}, { ...createFiles(100, extension), ...last })
    expect(few.omissions).toEqual([])
    const many = await compareTrees({}, { ...createFiles(300, extension), ...last })
    expect(many.omissions).toEqual([
      expect.stringMatching(/^Code of "greet" was not parsed: 10\d files above the limit$/),
    ])
  },
)
