// SPDX-License-Identifier: Apache-2.0

// Package svm is a support vector machine of two classes with a radial basis function as its kernel: C-SVC, trained by
// sequential minimal optimisation.
//
// A point counts with a weight, so equal points of one label are trained as one point: its multiplier may grow to
// weight times C, which is the sum of what the multipliers of the equal points could be. Nothing else of the problem
// changes, and a trace in which most jobs look alike becomes a small problem.
//
// Train solves one problem. Search says which problems cross-validation has to solve, each for itself, so that
// whoever has workers can solve them side by side. Classifier is a trained machine with the names of its features and
// their scaling, as it is stored.
//
// References: Chang and Lin, LIBSVM: a library for support vector machines (2011); Fan, Chen and Lin, Working set
// selection using second order information for training support vector machines (2005). The code is written anew.
package svm
