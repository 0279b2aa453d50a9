/** Shorter values are parts of ordinary texts, which would be replaced too. */
export const MIN_SECRET_LENGTH = 8

/**
 * Replaces the secrets of a case by placeholders such as `{{API_KEY}}`, so that a cassette fits every
 * value.
 */
export class Placeholders {
  /** Forms of values with their placeholders, the longest first. */
  readonly #forms: readonly (readonly [string, string])[]
  readonly #values: ReadonlyMap<string, string>

  constructor(secrets: ReadonlyMap<string, string>) {
    this.#values = secrets
    this.#forms = [...secrets]
      .flatMap(([name, value]) => listForms(value).map((form) => [form, `{{${name}}}`] as const))
      .toSorted(([a], [b]) => b.length - a.length)
  }

  hide(text: string): string {
    return this.#forms.reduce((result, [form, mark]) => result.replaceAll(form, mark), text)
  }

  /** Inserts the values; `encode` makes them part of the text's format. */
  reveal(text: string, encode = (value: string) => value): string {
    if (!text.includes('{{')) return text
    return text.replaceAll(/\{\{(\w+)\}\}/g, (mark, name: string) => {
      const value = this.#values.get(name)
      return value === undefined ? mark : encode(value)
    })
  }
}

/** A value as it is, in URLs, in forms and in JSON. */
export function listForms(value: string): string[] {
  const url = encodeURIComponent(value)
  const json = JSON.stringify(value).slice(1, -1)
  return [...new Set([value, url, url.replaceAll('%20', '+'), json])]
}
