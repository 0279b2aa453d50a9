import { describe, expect, it } from 'vitest'
import { readLock } from '../../../../src/core/skills/dependencies/lock-file.ts'

const HASH = `--hash=sha256:${'a'.repeat(64)}`

describe('a lock file', () => {
  it('is parsed in the format of pip-compile', () => {
    const text = `# by hand\r\nFoo_Bar[x,y]==1.0.post1 ; python_version >= "3.8" \\\r\n    ${HASH} \\\r\n    ${HASH}\r\n    # via demo\r\n\r\nb==2!1.0+local ${HASH} # why\n`
    expect(readLock(text)).toEqual({
      problems: [],
      pins: [
        {
          name: 'foo-bar',
          version: '1.0.post1',
          line: `Foo_Bar[x,y]==1.0.post1 ; python_version >= "3.8" ${HASH} ${HASH}`,
        },
        { name: 'b', version: '2!1.0+local', line: `b==2!1.0+local ${HASH}` },
      ],
    })
  })

  it.each([
    ['a', 'pins no version'],
    [`a>=1 ${HASH}`, 'pins no version'],
    [`a==1.* ${HASH}`, 'pins no version'],
    ['a==1', 'has no hash'],
    [`a==1 --hash=md5:${'a'.repeat(32)}`, 'is not a pinned package'],
    [`a==1 --hash=sha256:abc`, 'is not a pinned package'],
    [`a @ https://example.com/a.whl ${HASH}`, 'names an address'],
    [`git+https://example.com/a.git ${HASH}`, 'names an address'],
    [`./a-1.0-py3-none-any.whl ${HASH}`, 'names a file'],
    [`/a ${HASH}`, 'names a file'],
    ['-e .', 'is an option'],
    ['-r other.txt', 'is an option'],
    ['--index-url https://example.com', 'is an option'],
    [`a==1 ${HASH} --index-url https://example.com`, 'names an address'],
    [`a==1 ; python_version > "3" --pre ${HASH}`, 'is not a pinned package'],
    // eslint-disable-next-line no-template-curly-in-string -- as it is written
    ['${A}==1 ' + HASH, 'pins no version'],
    [`a==1 ${HASH} \\\n--pre`, 'is not a pinned package'],
  ])('with the line %j is rejected', (line, reason) => {
    const { problems } = readLock(`good==1 ${HASH}\n${line}\n`)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({
      line: 2,
      message: expect.stringContaining(reason) as string,
    })
  })

  it('without pins is rejected', () => {
    expect(readLock('# nothing\n').problems).toMatchObject([{ message: 'It pins no package' }])
  })
})

describe('a hostile lock file', () => {
  it.each([
    ['blanks', `a==1 ;${' '.repeat(900_000)}x`],
    ['marks of comments', `a==1${' #'.repeat(400_000)}\rx`],
    ['a name', 'a.'.repeat(500_000)],
    ['hashes', `a==1${` ${HASH}`.repeat(10_000)} x`],
    ['lines', 'a\n'.repeat(500_000)],
    ['lines that go on', 'a\\\n'.repeat(300_000)],
  ])(
    'with many %s is rejected in linear time',
    (_, text) => {
      const { problems } = readLock(text)
      expect(problems.length).toBeLessThanOrEqual(100)
      if (!text.includes('#')) expect(problems.length).toBeGreaterThan(0)
    },
    60_000,
  )
})
