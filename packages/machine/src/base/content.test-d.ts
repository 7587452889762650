import type * as genai from '@google/genai';
import type * as ours from './content.js';

/**
 * Compiled, never run: our types and those of @google/genai are assignable in both directions. The fields we
 * leave out are those typed by an enum there (a string is not assignable to an enum) or by a class of its own:
 * Part.{mediaResolution, toolCall, toolResponse, codeExecutionResult, executableCode, audioTranscription,
 * mediaProcessing, speechMetadata}, FunctionResponse.scheduling, FunctionDeclaration.{behavior, parameters}.
 */
type Assignable<From, To> = From extends To ? true : false;
type BothWays<Ours, Theirs> = Assignable<Ours, Theirs> & Assignable<Theirs, Ours>;

const proofs: true[] = [
  true satisfies BothWays<ours.Part, genai.Part>,
  true satisfies BothWays<ours.FunctionCall, genai.FunctionCall>,
  true satisfies BothWays<ours.FunctionResponse, genai.FunctionResponse>,
  true satisfies BothWays<ours.FunctionResponsePart, genai.FunctionResponsePart>,
  true satisfies BothWays<ours.FunctionDeclaration, genai.FunctionDeclaration>,
  true satisfies BothWays<ours.Blob, genai.Blob>,
  true satisfies BothWays<ours.FileData, genai.FileData>,
  true satisfies BothWays<ours.PartListUnion, genai.PartListUnion>,
  true satisfies Assignable<ours.Message, genai.Content>,
];

// @ts-expect-error A type that does not fit is caught.
const wrong = true satisfies BothWays<{ text?: number }, genai.Part>;

export { proofs, wrong };
