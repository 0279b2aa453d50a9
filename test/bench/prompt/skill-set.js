import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WORDS =
  'brand color table page report export layout theme slide column style chart merge check draft review policy letter image script folder header footer margin review value rule note sheet'.split(
    ' ',
  )

/** Generates the same numbers on every machine. */
export function createRandom(seed) {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

/** Writes skills as large as published ones: bodies of a few thousand words and a few documents. */
export function writeSkills(root, { count, bodyWords, docs, docWords }) {
  const random = createRandom(count)
  const text = (words) =>
    Array.from({ length: words }, (_, index) => {
      const word = WORDS[random(WORDS.length)]
      return index % 17 === 16 ? `${word}.\n` : `${word} `
    }).join('')
  for (let index = 0; index < count; index++) {
    const name = `skill-${String(index).padStart(3, '0')}`
    const dir = join(root, name)
    mkdirSync(join(dir, 'docs'), { recursive: true })
    const description = `Works with ${text(12).replaceAll('\n', ' ').trim()} where somebody asks for it.`
    writeFileSync(
      join(dir, 'SKILL.md'),
      `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n\n${text(bodyWords)}\n`,
    )
    for (let doc = 0; doc < docs; doc++) {
      writeFileSync(join(dir, 'docs', `part-${doc}.md`), `# Part ${doc}\n\n${text(docWords)}\n`)
    }
  }
}
