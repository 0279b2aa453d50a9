import { readMarkdown } from '../../core/skills/manifest/markdown-source.ts'
import type { SuiteDocument } from '../../core/testing/document/suite-document.ts'

/** The front matter of a Markdown file with its positions, and the text after it. */
export function readMarkdownDocument(
  file: string,
  text: string,
): { document: SuiteDocument; body: string } {
  const { frontMatter, bodyStart } = readMarkdown(file, text)
  return {
    body: text.slice(bodyStart).trim(),
    document: {
      text,
      data: frontMatter.data,
      problem: frontMatter.problem,
      locate: (path, what) =>
        path.length === 0 || !frontMatter.present
          ? { start: 0, end: 1 }
          : frontMatter.locate(path, what),
    },
  }
}
