/** A body (null) or a document, under its heading in requests. */
export function renderLoadedText(
  skill: string,
  { doc, text }: { doc: string | null; text: string },
): string {
  return doc === null ? `[Loaded] ${skill}\n${text}` : `[Doc] ${doc}\n${text}`
}
